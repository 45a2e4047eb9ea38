#!/usr/bin/env bash
# Records what Kafka's own tools print: starts a single-node broker of a version on 127.0.0.1, makes topics and groups,
# runs the describe and reassign commands, and keeps their output in ../fixtures/recorded/VERSION. All names are made up.
# Usage: record.sh [VERSION ...]   Needs Java 17 and Maven; downloads the version's published jars into Maven's cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
port=${RECORD_PORT:-29192}
controller_port=$((port + 1))
work=$(mktemp -d)
broker=
members=
finish() {
  [ -z "$members" ] || kill "$members" 2>/dev/null || true
  [ -z "$broker" ] || kill -9 "$broker" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

record() {
  local version=$1 out="$here/../fixtures/recorded/$1" data="$work/$1"
  mkdir -p "$out" "$data"
  mvn -q -B -f "$here/pom.xml" dependency:build-classpath -Dkafka.version="$version" -Dmdep.outputFile="$data/classpath"
  local java=(java -Xmx400m -XX:TieredStopAtLevel=1 -cp "$(cat "$data/classpath")")
  cat > "$data/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller_port
controller.listener.names=CONTROLLER
log.dirs=$data/logs
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
group.coordinator.rebalance.protocols=classic,consumer
auto.create.topics.enable=false
PROPERTIES
  "${java[@]}" kafka.tools.StorageTool format -t AAAAAAAAAAAAAAAAAAAAAQ -c "$data/server.properties" > "$data/format.log" 2>&1
  "${java[@]}" kafka.Kafka "$data/server.properties" > "$data/broker.log" 2>&1 &
  broker=$!
  local server=(--bootstrap-server "127.0.0.1:$port")
  local topics=("${java[@]}" org.apache.kafka.tools.TopicCommand "${server[@]}")
  # Up to 3.7 the group tool is the Scala one and the consumer protocol is not there yet.
  local group_tool=org.apache.kafka.tools.consumer.group.ConsumerGroupCommand protocol=consumer
  case $version in 3.[0-7].*) group_tool=kafka.admin.ConsumerGroupCommand protocol=classic ;; esac
  local groups=("${java[@]}" "$group_tool" "${server[@]}" --describe)
  local reassign=("${java[@]}" org.apache.kafka.tools.reassign.ReassignPartitionsCommand "${server[@]}")
  for _ in $(seq 60); do "${topics[@]}" --list > /dev/null 2>&1 && break; sleep 1; done

  "${topics[@]}" --create --topic orders --partitions 11 --config cleanup.policy=compact,delete --config segment.bytes=1073741824
  "${topics[@]}" --create --topic payments --partitions 3
  "${topics[@]}" --create --topic single --partitions 1
  mkfifo "$data/stdin"
  "${java[@]}" "$here/Members.java" "127.0.0.1:$port" "$protocol" < "$data/stdin" > "$data/members.log" 2>&1 &
  members=$!
  exec 3> "$data/stdin"
  for _ in $(seq 120); do grep -q ready "$data/members.log" && break; sleep 1; done
  grep -q ready "$data/members.log" || { cat "$data/members.log"; exit 1; }

  "${topics[@]}" --describe --exclude-internal > "$out/topics.txt" 2>&1
  "${groups[@]}" --all-groups > "$out/offsets.txt" 2>&1
  "${groups[@]}" --all-groups --verbose > "$out/offsets-verbose.txt" 2>&1
  "${groups[@]}" --all-groups --members > "$out/members.txt" 2>&1
  "${groups[@]}" --all-groups --members --verbose > "$out/members-verbose.txt" 2>&1
  "${groups[@]}" --all-groups --state > "$out/state.txt" 2>&1
  "${groups[@]}" --all-groups --state --verbose > "$out/state-verbose.txt" 2>&1
  "${groups[@]}" --group 'no such' > "$out/missing.txt" 2>&1 || true
  echo '{"topics":[{"topic":"payments"}],"version":1}' > "$out/topics-to-move.txt"
  "${reassign[@]}" --generate --topics-to-move-json-file "$out/topics-to-move.txt" --broker-list 1 > "$out/reassign-generate.txt" 2>&1
  sed -n '/Proposed/{n;p;}' "$out/reassign-generate.txt" > "$data/move.json"
  "${reassign[@]}" --execute --reassignment-json-file "$data/move.json" > "$out/reassign-execute.txt" 2>&1

  sed -i "s|$data/logs|/var/lib/kafka/data|g" "$out"/*

  echo stop >&3
  exec 3>&-
  wait "$members" || true
  members=
  kill -9 "$broker" && wait "$broker" 2>/dev/null || true
  broker=
}

[ $# -gt 0 ] || set -- 3.7.2 3.9.0 4.0.0 4.4.0
for version in "$@"; do record "$version"; done
