// Lists events, consumes and follows them, creates a target, has an event sent to it again, and verifies the delivery.
//
//	HUB=https://hub.example.com TOKEN=switchboard_… go run tour.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const name = "tour-go"

type event struct {
	ID     string
	Type   string
	Entity *string
}

type page struct {
	Data       []event
	NextCursor string `json:"next_cursor"`
	Lease      string
}

type object map[string]any

// call sends a request and decodes the answer into result. An error has the code and detail of the hub's problem.
func call(method, path string, query url.Values, body, result any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, os.Getenv("HUB")+"/api/v1"+path+"?"+query.Encode(), &sent)
	if err != nil {
		return err
	}
	request.Header.Set("authorization", "Bearer "+os.Getenv("TOKEN"))
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		var problem struct{ Code, Detail string }
		_ = json.NewDecoder(response.Body).Decode(&problem)
		return fmt.Errorf("%d %s: %s", response.StatusCode, problem.Code, problem.Detail)
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(result)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func isGenuine(header http.Header, body []byte, secret string) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	var list page
	must(call("GET", "/events", url.Values{"type": {"deal.*"}, "limit": {"10"}}, nil, &list))
	for _, one := range list.Data {
		fmt.Println("listed", one.ID, one.Type)
	}

	// A consumer is a position that the hub keeps; what is processed is committed.
	must(call("POST", "/consumers", nil, object{"name": name, "types": []string{"deal.*"}, "start": "oldest"}, nil))
	var read page
	must(call("POST", "/consumers/"+name+"/read", nil, object{"wait": 30, "limit": 1}, &read))
	for _, one := range read.Data {
		fmt.Println("consumed", one.ID)
	}
	must(call("POST", "/consumers/"+name+"/commit", nil, object{"lease": read.Lease, "position": read.NextCursor}, nil))
	must(call("POST", "/consumers/"+name+"/release", nil, object{"lease": read.Lease}, nil))

	// Without a consumer, the program keeps the position itself: next_cursor, from which it asks again.
	var next page
	query := url.Values{"after": {"oldest"}, "type": {"deal.*"}, "wait": {"30"}, "limit": {"1"}}
	must(call("GET", "/events", query, nil, &next))
	last := next.Data[0].ID
	fmt.Println("followed", last)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	secret, delivered := make(chan string, 1), make(chan string)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !isGenuine(r.Header, body, <-secret) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		delivered <- r.Header.Get("webhook-id")
	}))
	var target struct{ ID, Secret string }
	address := "http://" + listener.Addr().String() + "/"
	must(call("POST", "/targets", nil, object{"name": name, "url": address, "events": []string{"none"}}, &target))
	secret <- target.Secret
	fmt.Println("created", target.ID)
	must(call("POST", "/events/"+last+"/replay", nil, object{"target_ids": []string{target.ID}}, nil))
	fmt.Println("verified", <-delivered)
	must(call("DELETE", "/targets/"+target.ID, nil, nil, nil))
}
