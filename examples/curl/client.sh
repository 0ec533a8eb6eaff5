#!/usr/bin/env bash
# The client loop of an agent, with curl and jq. Post the calls, read each error_info, and do what
# it says: wait, fix, fall back or stop.
#
#     ./client.sh [calls.json]        TOOLGATE_URL, TOOLGATE_KEY from the environment
set -euo pipefail

url="${TOOLGATE_URL:-http://127.0.0.1:8080}/v1/tool-calls"
max_rounds=4     # how often one call is sent at most
patience_ms=3000 # a longer wait is not worth it: fall back instead
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

sleep_ms() { sleep "$(jq -n "$1 / 1000")"; }

# Sends one batch; an envelope that was refused for a time is sent again when it may be.
post() {
  local status round
  for ((round = 0; round < max_rounds; round++)); do
    status=$(jq '{calls: map(del(.fallback, .sent))}' <<<"$1" |
      curl --silent --show-error --output "$answer" --write-out '%{http_code}' "$url" \
        --header 'content-type: application/json' \
        ${TOOLGATE_KEY:+--header "authorization: Bearer $TOOLGATE_KEY"} --data-binary @-)
    [[ $status == 200 ]] && return
    if [[ $(jq .error_info.retryable "$answer") != true ]]; then
      jq --raw-output '"the gateway refused the batch: \(.error_info.code) \(.error_info.message)"' "$answer" >&2
      exit 1
    fi
    sleep_ms "$(jq '.error_info.retry_after_ms // 500' "$answer")"
  done
  echo 'the gateway kept refusing the batch' >&2
  exit 1
}

# From the calls sent and their results to one decision each: {word, next?, wait_ms?}.
decide='
  # Mends a call as a model would, told by the details; empty when it cannot.
  def fix($info):
    if $info.category == "not_found" and ($info.details.suggestions | length > 0) then
      .tool = $info.details.suggestions[0]
    elif ($info.details.errors["/days"]? // "" | contains("integer")) then
      .arguments.days |= tonumber
    else empty end;

  [$calls, $answer[0].results] | transpose | map(
    .[1] as $result | $result.error_info as $info
    | (.[0] | .sent += 1) as $call
    | ($info.retry_after_ms // (100 * pow(2; $call.sent))) as $wait_ms
    | [$call | fix($info)][0] as $mended
    | if $result.status == "ok" then {word: "ok \($result.result | tojson)"}
      elif $result.status == "declined" then {word: "declined: \($info.message)"}
      elif $info.retryable and $call.sent < $max_rounds and $wait_ms <= $patience_ms then
        {word: "wait \($wait_ms) ms (\($info.code))", next: $call, $wait_ms}
      # It may have happened. Neither the same call nor another way to the same end is safe.
      elif ($info.retryable | not) and $info.effect == "unknown" then
        {word: "stop, it may have happened, ask a person (\($info.code))"}
      elif $mended and $call.sent < $max_rounds then
        {word: "fix (\($info.code))", next: $mended}
      elif $call.fallback then
        {word: "fall back to \($call.fallback.tool) (\($info.code))",
         next: ($call.fallback + {id: $call.id, sent: $call.sent})}
      else {word: "stop (\($info.code)): \($info.message)"} end
    | .id = $call.id)'

calls=$(cat "${1:-$(dirname "$0")/../calls.json}")
while [[ $(jq length <<<"$calls") -gt 0 ]]; do
  post "$calls"
  decisions=$(jq --null-input --argjson calls "$calls" --slurpfile answer "$answer" \
    --argjson max_rounds "$max_rounds" --argjson patience_ms "$patience_ms" "$decide")
  jq --raw-output '.[] | "\(.id): \(.word)"' <<<"$decisions"
  calls=$(jq 'map(.next // empty)' <<<"$decisions")
  sleep_ms "$(jq '[.[].wait_ms // 0] | max' <<<"$decisions")"
done
