#!/bin/sh
# make vscode: puts the launch and task files where that editor looks for them, over nobody's own.
set -u
ours=lessons/debugger/vscode
for file in launch.json tasks.json; do
    if [ -e ".vscode/$file" ] && ! cmp -s "$ours/$file" ".vscode/$file"; then
        echo "make vscode: .vscode/$file is there and stays as it is; ours is $ours/$file" >&2
        exit 2
    fi
done
mkdir -p .vscode && cp "$ours/launch.json" "$ours/tasks.json" .vscode/ || exit 2
echo "Open a lesson in VS Code and press F5: it stops at STEP 1. (docs/debugging.md)"
