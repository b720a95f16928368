#!/bin/sh
# github_action.t -- The steps of services/github/action.yml, run as GitHub's runner runs them: memusage
# is built, a program within its limits passes, and one beyond fails with annotations.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need bash make gcc
python=/usr/bin/python3
"$python" -c 'import yaml' 2>/dev/null || skip_all 'no python3-yaml'
action=$MU_SRC/services/github/action.yml

# Fills in expressions as the runner does, and runs the steps in order: steps.py ACTION NAME=INPUT...
cat >steps.py <<'END'
import os, re, subprocess, sys, yaml
action = yaml.safe_load(open(sys.argv[1]))
given = dict(a.split('=', 1) for a in sys.argv[2:])
unknown = set(given) - set(action['inputs'])
assert not unknown, unknown
inputs = {n: given.get(n, i.get('default')) for n, i in action['inputs'].items()}
missing = [n for n, i in action['inputs'].items() if i.get('required') and n not in given]
assert not missing, missing
assert action['runs']['using'] == 'composite'
values = {f'inputs.{n}': v for n, v in inputs.items()}
values['github.action_path'] = os.path.dirname(os.path.abspath(sys.argv[1]))
def fill(text):
    return re.sub(r'\$\{\{ *(.*?) *\}\}', lambda m: values[m[1]], text)
path = os.environ['PATH']
for step in action['runs']['steps']:
    if os.environ.get('ONLY', step['name']) != step['name']:
        continue
    assert step['shell'] == 'bash'
    added = [l.strip() for l in open(os.environ['GITHUB_PATH'])]
    env = {**os.environ, 'PATH': ':'.join(added[::-1] + [path]),
           **{n: fill(v) for n, v in step.get('env', {}).items()}}
    open('step.sh', 'w').write(step['run'])
    status = subprocess.run(['bash', '--noprofile', '--norc', '-eo', 'pipefail',
                             os.path.abspath('step.sh')], env=env,
                            cwd=fill(step.get('working-directory', '.'))).returncode
    if status:
        sys.exit(status)
for name, o in action['outputs'].items():
    assert re.fullmatch(r'\$\{\{ steps\.\w+\.outputs\.\w+ \}\}', o['value']), o
END

export RUNNER_TEMP="$PWD/temp" GITHUB_PATH="$PWD/path" GITHUB_OUTPUT="$PWD/output"
export GITHUB_STEP_SUMMARY="$PWD/summary" GITHUB_ACTIONS=true GITHUB_WORKSPACE="$PWD" NO_INSTALL=1
mkdir temp
: >path
: >output
: >summary
step() { run "$python" steps.py "$action" "$@"; }

# The build goes to the runner's folder, whatever is built here already.
unset MAKEFLAGS MAKELEVEL
ONLY='Build memusage' step run=true
is "$status" 0 'memusage is built and installed'
[ "$status" -eq 0 ] || diag "$err"
ok '... for the next steps' [ -x "$(cat path)/memusage" ]
export ONLY='Run the program below memusage'

cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *volatile kept;
int main(int argc, char **argv)
{
	kept = malloc(strtoul(argv[1], NULL, 10));
	printf("%s %d%s\n", argv[2], argc, getenv("FAIL_IF") ? " inputs" : "");
	return 0;
}
END
gcc -g -O0 -o prog prog.c

step run="./prog 1000 'two words'" fail-if='heap peak > 64M'
is "$status" 0 'a program within its limit passes'
like "$out" '^two words 3$' '... with its arguments, and its own environment'
is "$(tail -n 1 output)" 'status=0' '... which the workflow can read'
step run='./prog 3000000 x' fail-if='heap peak > 2M
calls > 1000
' sarif=memory.sarif record=new.mur
is "$status" 100 'one beyond fails'
like "$out$err" 'heap peak > 2M: 2\.8[67] MiB, .* over the limit' '... it says by how much'
like "$err" '^::error file=prog\.c,line=7,' '... where'
like "$(cat summary)" 'heap peak' '... and in the summary'
is "$(tail -n 1 output)" 'status=100' '... which the workflow can read'
ok '... SARIF is written' [ -s memory.sarif ]
ok '... and a recording' [ -s new.mur ]

mkdir sub
echo 'heap peak > +5%' >sub/budget.txt
step run='../prog 4000000 x' budget=budget.txt baseline=../new.mur working-directory=sub
is "$status" 100 'a baseline and a budget, in a folder'
like "$out$err" 'heap peak > \+5%' '... growth is found'
step run='../prog 3000000 x' budget=budget.txt baseline=../new.mur working-directory=sub runs=3
is "$status" 0 '... and three equal runs have none'
step run='sh -c "exit 7"' fail-if='heap peak > 64M'
is "$status" 7 "the program's own status has precedence"
step run=./prog fail-if='heap peak >'
is "$status" 125 'a wrong condition is a mistake'
done_testing
