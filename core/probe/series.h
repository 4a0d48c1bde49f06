/* Many attempts by one process, in order, as a list orders them. */
#ifndef CF_PROBE_SERIES_H
#define CF_PROBE_SERIES_H

/*
 * Makes the attempts of the file `list` and prints one line of JSON for each as soon as it is
 * made, to the file `report`, or to standard output for "-". An order is KEY MODE ATTEMPT
 * [ARG...], as words.h has it. The modes:
 *   once          one attempt
 *   hold:MS       again and again for so many milliseconds, or until it is reached
 *   through:FILE  the same until a little after the file is there
 *   until:MS      the same with a pause between, for what takes a moment to come
 *   settle:MS     the same until it is refused, for what takes a moment to be closed again
 * Returns 0, or 1 when the list or the report cannot be had, with a message on stderr.
 */
int cf_series_run(const char *list, const char *report);

#endif
