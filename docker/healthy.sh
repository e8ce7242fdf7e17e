#!/bin/bash
# Ends with 0 while the program answers on its port for operators; no other program is started.
set -eu
exec 3<>"/dev/tcp/127.0.0.1/${STEWARD_METRICS_LISTEN:-9464}"
printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3
read -r -t 5 status <&3
[[ $status == *" 200 "* ]]
