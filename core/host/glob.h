/* Names against patterns: "*", "?" and "[...]" within one component, bytes. */
#ifndef CF_HOST_GLOB_H
#define CF_HOST_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the text is more than one name: it holds one of * ? [ other than in "[*]", "[?]",
 * "[[]", "[$]", "[{]" and "[ ]" (any blank), which only stand for the byte in them.
 */
bool cf_glob_is_pattern(const char *text, size_t len);

/* Writes the one name of a text that is no pattern, at most `len` bytes; returns its length. */
size_t cf_glob_plain(const char *text, size_t len, char *name);

/*
 * Whether the whole name matches. "*" is any run of bytes, "?" any one, "[a-z]" one of a set,
 * "[!a-z]" or "[^a-z]" one outside it; a "[" without its "]" stands for itself. A leading dot
 * is matched by a dot only. The time is at most pattern times name, whatever the pattern:
 * fnmatch(3) is exponential in the stars, and a pattern may come from a stranger.
 */
bool cf_glob_match(const char *pattern, size_t pattern_len, const char *name, size_t name_len);

#endif
