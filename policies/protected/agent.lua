-- Settings in the tree by which a coding agent outside starts programs or permits itself more:
-- hooks, tool servers, allowed commands. Texts that only instruct (CLAUDE.md, AGENTS.md) stay
-- writable.
-- Names without brackets or stars are kept also while they are absent: in a trusted folder the
-- agent takes in new ones without asking. These folders go as a whole, since commands, skills and
-- sub-agents in them permit tools too; `file.write '.claude/skills'` gives one of them back.
-- A pattern such as `.qwe[n]` matches just that name, and nothing while it is absent.
return record {
  name  = 'agent',
  files = {
    '.claude', '.cursor', '.codex', '.gemini', '.opencode', '.mcp.jso[n]', 'opencode.json*',
    '.aider.conf.ym[l]', '.copilo[t]', '.github/copilo[t]', '.github/hook[s]', '.qwe[n]', '.kir[o]',
    '.amazon[q]', '.augmen[t]', '.factor[y]', '.continu[e]', '.clin[e]', '.ro[o]', '.kilocod[e]',
    '.windsur[f]', '.juni[e]', '.p[i]', '.crush.jso[n]', 'crush.jso[n]', '.agent[s]', '*/.claud[e]',
    '*/.curso[r]', '*/.code[x]', '*/.gemin[i]', '*/.mcp.jso[n]',
    '.am[p]', '.vib[e]', '.tra[e]', '.openhand[s]', '.iflo[w]', '.qode[r]', '.codebudd[y]',
    'conductor.jso[n]', '*/opencode.jso[n]', '.gro[k]', '.goos[e]', '.aider.model.settings.ym[l]',
  },
  folders = { '.claude', '.cursor', '.codex', '.gemini', '.opencode' },
  why   = 'an agent outside starts programs or permits itself tools by it',
}
