"""Programs that run others, evaluate text or reach beyond the workspace, by family."""

import re


def names(text: str) -> frozenset[str]:
    """Returns the words of a text as a set."""
    return frozenset(text.split())


_VERSION = re.compile(r"(?<=[a-z+])[-.]?\d[\d.]*$")


SHELLS = names("sh bash dash zsh ksh mksh ash fish csh tcsh rbash busybox toybox")
INTERPRETERS = names(
    "python pypy ipython perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect r "
    "rscript julia java jshell scala groovy kotlin clojure ghc runghc ocaml guile racket sbcl "
    "pwsh powershell osascript awk gawk mawk nawk sed m4 dc gdb sqlite psql mysql mariadb "
    "mongosh redis-cli"
)
WRAPPERS = names(
    "env xargs nice ionice nohup setsid setarch stdbuf unbuffer timeout time watch parallel flock "
    "entr script strace ltrace perf valgrind taskset chrt chronic command builtin exec faketime "
    "start-stop-daemon systemd-run bwrap firejail proot fakeroot"
)
EVALUATORS = names(
    "eval source . trap alias coproc enable bind complete compgen mapfile readarray fc history let "
    "declare typeset local readonly export read unset test printf getopts wait set shopt"
)
EDITORS = names("vi vim nvim view vimdiff ex ed emacs nano pico less more man")
REMOTE = names("ssh scp sftp rsync mosh telnet nc ncat netcat socat ftp lftp curl wget aria2c")
CONTAINERS = names(
    "docker docker-compose podman nerdctl kubectl helm lxc lxd incus runc crictl vagrant "
    "machinectl ansible ansible-playbook terraform"
)
PRIVILEGE = names("sudo su doas pkexec runuser run0 sudoedit chroot unshare nsenter")
BUILDERS = names(
    "make gmake bmake cmake ninja meson scons bazel just task invoke fab rake gradle gradlew mvn "
    "ant tox nox hatch poetry pdm rye uv uvx pip pipx conda mamba npm npx pnpm yarn cargo go "
    "rustc gcc g++ cc c++ clang clang++ ld tar zip unzip rpm at batch crontab systemctl"
)


def program(word: str) -> str:
    return _VERSION.sub("", word.rpartition("/")[2].lower())
