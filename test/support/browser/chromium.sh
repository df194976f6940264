#!/bin/sh
# Runs the Chromium at CHROMIUM_PATH. As root it would raise the priority of its threads: on a busy machine they would
# leave too little to the daemons that the tests run.
if setpriv --bounding-set -sys_nice true 2>/dev/null; then
  exec setpriv --bounding-set -sys_nice "$CHROMIUM_PATH" "$@"
fi
exec "$CHROMIUM_PATH" "$@"
