-- Pipelines: what a push makes a server execute, with the secrets of the repository. The folder of
-- GitHub's workflows is kept also while it is absent; the others are patterns, which keep what is
-- there (`Jenkinsfil[e]` matches just that name).
return record {
  name  = 'ci',
  files = {
    '.github/workflows', '.github/action[s]', '.gitlab-ci*.yml', '.gitla[b]', '.circlec[i]',
    '.buildkit[e]', '.forgej[o]', '.gite[a]', '.woodpecke[r]', '.woodpecker*.yml', '.travis.ym[l]',
    '.drone.ym[l]', '.cirrus.*', '.appveyor.ym[l]', 'appveyor.ym[l]', 'azure-pipelines*.yml',
    'bitbucket-pipelines.ym[l]', 'Jenkinsfil[e]', 'cloudbuild*.yaml', 'buildspec*.yml',
    '.build.ym[l]', '.build[s]', '.tekto[n]', '.semaphor[e]', '.azure-pipeline[s]',
    '.woodpecker*.yaml', '.drone.yam[l]', '.drone.sta[r]', '.drone.jsonne[t]', 'codemagic.yam[l]',
    'bitrise.ym[l]', 'Jenkinsfile.*', 'bitbucket-pipelines.yam[l]', 'cloudbuild*.json',
    '.teamcit[y]', 'bamboo-spec[s]', '.zuul.yam[l]', '.zuul.[d]', 'zuul.[d]', '.evergreen.ym[l]',
    '.harnes[s]', '.packit.yam[l]', '.cop[r]', '.readthedocs.yam[l]', '.readthedocs.ym[l]',
  },
  folders = { 'workflows' },
  why   = 'the next push makes a server execute it, with secrets of the repository',
}
