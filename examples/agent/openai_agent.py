"""An agent on OpenAI's chat completions; its tools run behind Toolgate. Standard library only.

    OPENAI_API_KEY=... python3 openai_agent.py "What is the weather in Oslo?"
"""

import json
import os
import sys
import time
import urllib.request
import uuid

GATEWAY = os.environ.get("TOOLGATE_URL", "http://127.0.0.1:8080")
GATEWAY_KEY = os.environ.get("TOOLGATE_KEY", "")
PROVIDER = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
PROVIDER_KEY = os.environ.get("OPENAI_API_KEY", "")
MODEL = os.environ.get("MODEL", "gpt-5.1")
MAX_TURNS = 10
MAX_WAIT_S = 30


def send(url, key, body=None):
    """POSTs JSON (GETs without a body) and returns the JSON of the answer."""
    headers = {"content-type": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
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
    tools = send(f"{GATEWAY}/v1/tools?format=openai", GATEWAY_KEY)["tools"]
    messages = [{"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        request = {"model": MODEL, "messages": messages, "tools": tools}
        completion = send(f"{PROVIDER}/chat/completions", PROVIDER_KEY, request)
        message = completion["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        batch = send(f"{GATEWAY}/v1/tool-calls?run_id={run_id}", GATEWAY_KEY, completion)
        messages += batch["messages"]
        wait_as_advised(batch["results"])
    return "I ran out of turns."


if __name__ == "__main__":
    print(run(" ".join(sys.argv[1:]) or "How is the weather in Oslo? And cancel booking b-17."))
