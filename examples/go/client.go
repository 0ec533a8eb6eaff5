// The client loop of an agent, on the standard library alone. Post the calls, read each error_info,
// and do what it says: wait, fix, fall back or stop.
//
//	go run client.go [calls.json]        TOOLGATE_URL, TOOLGATE_KEY from the environment
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const maxRounds, patienceMs = 4, 3000 // how often one call is sent; a longer wait is not worth it

type call struct {
	ID        string         `json:"id,omitempty"`
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Fallback  *call          `json:"fallback,omitempty"`
}

type errorInfo struct {
	Code, Category, Message, Effect string
	Retryable                       bool
	RetryAfterMs                    *int `json:"retry_after_ms"`
	Details                         struct {
		Suggestions []string
		Errors      map[string]string
	}
}

type result struct {
	Status    string
	Result    json.RawMessage
	ErrorInfo errorInfo `json:"error_info"`
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func wait(info errorInfo, otherwiseMs int) int {
	if info.RetryAfterMs != nil {
		return *info.RetryAfterMs
	}
	return otherwiseMs
}

// post sends one batch; an envelope that was refused for a time is sent again when it may be.
func post(calls []call) []result {
	bare := append([]call(nil), calls...)
	for i := range bare {
		bare[i].Fallback = nil
	}
	body := must(json.Marshal(map[string]any{"calls": bare}))
	url := os.Getenv("TOOLGATE_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	for round := 0; round < maxRounds; round++ {
		request := must(http.NewRequest("POST", url+"/v1/tool-calls", bytes.NewReader(body)))
		request.Header.Set("content-type", "application/json")
		if key := os.Getenv("TOOLGATE_KEY"); key != "" {
			request.Header.Set("authorization", "Bearer "+key)
		}
		answer := must(http.DefaultClient.Do(request))
		var reply struct {
			Results   []result
			ErrorInfo errorInfo `json:"error_info"`
		}
		err := json.NewDecoder(answer.Body).Decode(&reply)
		answer.Body.Close()
		if err == nil && answer.StatusCode == http.StatusOK {
			return reply.Results
		}
		if !reply.ErrorInfo.Retryable {
			log.Fatal("the gateway refused the batch: ", reply.ErrorInfo.Code, " ", reply.ErrorInfo.Message)
		}
		time.Sleep(time.Duration(wait(reply.ErrorInfo, 500)) * time.Millisecond)
	}
	log.Fatal("the gateway kept refusing the batch")
	return nil
}

// fix mends a call as a model would, told by the details; nil when it cannot.
func fix(c call, info errorInfo) *call {
	if info.Category == "not_found" && len(info.Details.Suggestions) > 0 {
		c.Tool = info.Details.Suggestions[0]
		return &c
	}
	if days, ok := c.Arguments["days"].(string); ok && strings.Contains(info.Details.Errors["/days"], "integer") {
		c.Arguments["days"] = must(strconv.Atoi(days))
		return &c
	}
	return nil
}

// decide says what becomes of a call that has been sent so many times.
func decide(c call, r result, sent int) (word string, next *call, waitMs int) {
	info := r.ErrorInfo
	if r.Status == "ok" {
		return "ok " + string(r.Result), nil, 0
	}
	if r.Status == "declined" {
		return "declined: " + info.Message, nil, 0
	}
	if ms := wait(info, 100<<sent); info.Retryable && sent < maxRounds && ms <= patienceMs {
		return fmt.Sprintf("wait %d ms (%s)", ms, info.Code), &c, ms
	}
	if !info.Retryable && info.Effect == "unknown" {
		// It may have happened. Neither the same call nor another way to the same end is safe.
		return fmt.Sprintf("stop, it may have happened, ask a person (%s)", info.Code), nil, 0
	}
	if mended := fix(c, info); mended != nil && sent < maxRounds {
		return fmt.Sprintf("fix (%s)", info.Code), mended, 0
	}
	if c.Fallback != nil {
		c.Fallback.ID = c.ID
		return fmt.Sprintf("fall back to %s (%s)", c.Fallback.Tool, info.Code), c.Fallback, 0
	}
	return fmt.Sprintf("stop (%s): %s", info.Code, info.Message), nil, 0
}

func main() {
	path := "../calls.json"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	var calls []call
	must(0, json.Unmarshal(must(os.ReadFile(path)), &calls))
	sent := map[string]int{}
	for len(calls) > 0 {
		var again []call
		longestMs := 0
		for i, r := range post(calls) {
			sent[calls[i].ID]++
			word, next, waitMs := decide(calls[i], r, sent[calls[i].ID])
			fmt.Printf("%s: %s\n", calls[i].ID, word)
			if next != nil {
				again = append(again, *next)
			}
			if waitMs > longestMs {
				longestMs = waitMs
			}
		}
		calls = again
		time.Sleep(time.Duration(longestMs) * time.Millisecond)
	}
}
