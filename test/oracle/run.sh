#!/bin/sh
# Asks published Apache Kafka jars. Everything it downloads or builds goes into target/ beside this file.
#
#   run.sh generate [RULE ...] --version 4.1.0 --seed 1 --count 500 --out DIR   write fresh vectors; all rules by default
#   run.sh replay FILE ... --version 4.0.0 [--examples 3]                       recompute vectors, print the differences
#   run.sh bench [--version 4.1.0] [--cells FILE]                               time the assignors, one JSON line a cell
#
# Without Java or Maven, or where the Maven repository cannot be reached, it says so and exits 0: the committed vectors in
# test/conformance/vectors serve.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=4.1.0
command=${1:-help}
[ $# -gt 0 ] && shift

case $command in
  generate | replay | bench | serve) ;;
  *)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 64
    ;;
esac

# Takes --version out of the arguments and leaves the rest in place.
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  if [ "$argument" = --version ]; then
    version=$1
    shift
    count=$((count - 1))
  else
    set -- "$@" "$argument"
  fi
done

unavailable() {
  echo "The oracle cannot run here: $1. The committed vectors in test/conformance/vectors serve."
  exit 0
}

command -v java >/dev/null 2>&1 && command -v javac >/dev/null 2>&1 || unavailable "no Java (17 or newer) was found"
javac --release 17 -version >/dev/null 2>&1 || unavailable "its Java is older than 17"
command -v mvn >/dev/null 2>&1 || unavailable "no Maven was found"

target=$here/target/$version
classpath=$target/classpath
mkdir -p "$target"
if [ ! -s "$classpath" ]; then
  mvn -q -B -f "$here/pom.xml" "-Dmaven.repo.local=$here/target/repository" "-Dkafka.version=$version" \
    org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath "-Dmdep.outputFile=$classpath" \
    >"$target/maven.log" 2>&1 || {
    rm -f "$classpath"
    unavailable "Maven could not get the jars of Kafka $version (see $target/maven.log)"
  }
fi

# Compiled against each version on its own, because some signatures differ.
if [ ! -d "$target/classes" ] || [ -n "$(find "$here/src" -newer "$target/classes" -print -quit)" ]; then
  rm -rf "$target/classes"
  javac -nowarn -encoding UTF-8 -d "$target/classes" -cp "$(cat "$classpath")" "$here"/src/allot/oracle/*.java 2>"$target/javac.log" || {
    cat "$target/javac.log" >&2
    exit 1
  }
fi

case $command in
  bench) set -- --cells "$here/cells.json" "$@" ;;
esac

exec java ${ORACLE_JAVA_OPTIONS:-} "-Dkafka.version=$version" -cp "$target/classes:$(cat "$classpath")" allot.oracle.Main "$command" "$@"
