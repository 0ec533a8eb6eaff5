"""An agent on Gemini's generateContent; its tools run behind Toolgate. Standard library only.

    GEMINI_API_KEY=... python3 gemini_agent.py "What is the weather in Oslo?"
"""

import json
import os
import sys
import time
import urllib.request
import uuid

GATEWAY = os.environ.get("TOOLGATE_URL", "http://127.0.0.1:8080")
GATEWAY_KEY = os.environ.get("TOOLGATE_KEY", "")
PROVIDER = os.environ.get(
    "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"
)
PROVIDER_KEY = os.environ.get("GEMINI_API_KEY", "")
MODEL = os.environ.get("MODEL", "gemini-3-pro-preview")
MAX_TURNS = 10
MAX_WAIT_S = 30


def send(url, key, body=None, header="x-api-key"):
    """POSTs JSON (GETs without a body) and returns the JSON of the answer."""
    headers = {"content-type": "application/json"}
    if key:
        headers[header] = key
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=120) as answer:
        return json.load(answer)


def wait_as_advised(results):
    """A model cannot wait: where a call may be repeated at a given time, we wait for it."""
    errors = [result["error_info"] for result in results if result["status"] == "error"]
    waits = [error["retry_after_ms"] or 0 for error in errors if error["retryable"]]
    time.sleep(min(max(waits, default=0) / 1000, MAX_WAIT_S))


def run(question):
    """Asks until the model has no more calls; returns its last words."""
    run_id = uuid.uuid4().hex  # the gateway's budgets span all turns of one run
    tools = send(f"{GATEWAY}/v1/tools?format=gemini", GATEWAY_KEY)["tools"]
    contents = [{"role": "user", "parts": [{"text": question}]}]
    url = f"{PROVIDER}/v1beta/models/{MODEL}:generateContent"
    for _ in range(MAX_TURNS):
        request = {"contents": contents, "tools": tools}
        answer = send(url, PROVIDER_KEY, request, "x-goog-api-key")
        content = answer["candidates"][0]["content"]
        contents.append(content)
        if not any("functionCall" in part for part in content["parts"]):
            return "".join(part.get("text", "") for part in content["parts"])
        batch = send(f"{GATEWAY}/v1/tool-calls?run_id={run_id}", GATEWAY_KEY, answer)
        contents += batch["messages"]
        wait_as_advised(batch["results"])
    return "I ran out of turns."


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "How is the weather in Oslo? And cancel booking b-17."))
