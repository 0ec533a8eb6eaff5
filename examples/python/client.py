"""The client loop of an agent, on the standard library alone.

Post the calls, read each error_info, and do what it says: wait, fix, fall back or stop.

    python3 client.py [calls.json]        TOOLGATE_URL, TOOLGATE_KEY from the environment
"""

import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("TOOLGATE_URL", "http://127.0.0.1:8080") + "/v1/tool-calls"
KEY = os.environ.get("TOOLGATE_KEY")
MAX_ROUNDS = 4  # how often one call is sent at most
PATIENCE_MS = 3000  # a longer wait is not worth it: fall back instead


def post(calls):
    """Sends one batch; an envelope that was refused for a time is sent again when it may be."""
    body = json.dumps({"calls": calls}).encode()
    headers = {"content-type": "application/json"}
    if KEY:
        headers["authorization"] = f"Bearer {KEY}"
    for _ in range(MAX_ROUNDS):
        try:
            with urllib.request.urlopen(urllib.request.Request(URL, body, headers)) as answer:
                return json.load(answer)["results"]
        except urllib.error.HTTPError as problem:
            info = json.load(problem)["error_info"]
            if not info["retryable"]:
                sys.exit(f"the gateway refused the batch: {info['code']} {info['message']}")
            time.sleep((info["retry_after_ms"] or 500) / 1000)
    sys.exit("the gateway kept refusing the batch")


def fix(call, info):
    """Mends a call as a model would, told by the details; None when it cannot."""
    details = info["details"]
    if info["category"] == "not_found" and details.get("suggestions"):
        return {**call, "tool": details["suggestions"][0]}
    if info["code"] == "TOOL_ARGUMENT_ERROR" and "integer" in details["errors"].get("/days", ""):
        return {**call, "arguments": {**call["arguments"], "days": int(call["arguments"]["days"])}}
    return None


def decide(call, result, sent):
    """What becomes of a call: (what to say, the call to send next or None, wait in ms)."""
    if result["status"] == "ok":
        return f"ok {json.dumps(result['result'], ensure_ascii=False)}", None, 0
    info = result["error_info"]
    code = info["code"]
    if result["status"] == "declined":
        return f"declined: {info['message']}", None, 0
    if info["retryable"] and sent < MAX_ROUNDS:
        wait_ms = 100 * 2**sent if info["retry_after_ms"] is None else info["retry_after_ms"]
        if wait_ms <= PATIENCE_MS:
            return f"wait {wait_ms} ms ({code})", call, wait_ms
    if not info["retryable"] and info["effect"] == "unknown":
        # It may have happened. Neither the same call nor another way to the same end is safe.
        return f"stop, it may have happened, ask a person ({code})", None, 0
    mended = fix(call, info) if sent < MAX_ROUNDS else None
    if mended:
        return f"fix ({code})", mended, 0
    if "fallback" in call:
        fallback = {"id": call["id"], **call["fallback"]}
        return f"fall back to {fallback['tool']} ({code})", fallback, 0
    return f"stop ({code}): {info['message']}", None, 0


def main(path):
    calls = json.loads(path.read_text(encoding="utf-8"))
    sent = {call["id"]: 0 for call in calls}
    while calls:
        results = post([{k: v for k, v in call.items() if k != "fallback"} for call in calls])
        again, longest_ms = [], 0
        for call, result in zip(calls, results):
            sent[call["id"]] += 1
            word, following, wait_ms = decide(call, result, sent[call["id"]])
            print(f"{call['id']}: {word}", flush=True)
            if following:
                again.append(following)
            longest_ms = max(longest_ms, wait_ms)
        calls = again
        time.sleep(longest_ms / 1000)


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "../calls.json")
