-- strict: default, with the home hidden but for the work tree, and only granted sockets reachable.

include 'default'

proc 'fresh'
socket.default 'refused'

file.hide { '~', except = { '.' }, why = 'only the work tree is needed' }
