#!/bin/sh
# Waits until the server answers, and makes the namespace where it is not there.
# Reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, as the temporal program itself does, and RETENTION.
set -eu

tries=0
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    echo "No Temporal server answers at $TEMPORAL_ADDRESS." >&2
    exit 1
  fi
  sleep 1
done
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
