#!/bin/sh
# Makes Temporal's two databases in PostgreSQL where they are not there, and brings their schemas to this version.
# Reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD, as the tool itself does. May run again and again.
set -eu

schema() {
  temporal-sql-tool --database "$1" create-database
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}

schema temporal temporal
schema temporal_visibility visibility
