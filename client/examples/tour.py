"""Lists events, consumes and follows them, creates a target, has an event sent to it again, and verifies the delivery.

HUB=https://hub.example.com TOKEN=switchboard_... (scope `operate`); only the standard library is needed.
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token is for one address only."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


class Problem(Exception):
    """What the hub says about a request that it refuses (RFC 9457)."""

    def __init__(self, problem):
        super().__init__(problem["detail"])
        self.code = problem["code"]


def call(method, path, body=None, query=None):
    search = "?" + urllib.parse.urlencode(query, doseq=True) if query else ""
    headers = {"authorization": "Bearer " + os.environ["TOKEN"], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    url = os.environ["HUB"] + "/api/v1" + path + search
    try:
        request = urllib.request.Request(url, data, headers, method=method)
        with OPENER.open(request, timeout=60) as response:
            return json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        raise Problem(json.load(error)) from None


for event in call("GET", "/events", query={"type": ["deal.*"], "limit": 10})["data"]:
    print("listed", event["id"], event["type"], event["entity"])

# A consumer is a position that the hub keeps; what is processed is committed.
NAME = "tour-python"
call("POST", "/consumers", {"name": NAME, "types": ["deal.*"], "start": "oldest"})
page = call("POST", f"/consumers/{NAME}/read", {"wait": 30, "limit": 1})
for event in page["data"]:
    print("consumed", event["id"])
call("POST", f"/consumers/{NAME}/commit", {"lease": page["lease"], "position": page["next_cursor"]})
call("POST", f"/consumers/{NAME}/release", {"lease": page["lease"]})

# Without a consumer, the program keeps the position itself: `next_cursor`, from which it asks again.
page = call("GET", "/events", query={"after": "oldest", "type": "deal.*", "wait": 30, "limit": 1})
last = page["data"][0]["id"]
print("followed", last)

secret = ""
delivered = threading.Event()


def is_genuine(headers, body):
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (sent_at.isascii() and sent_at.isdigit()) or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, expected) for one in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if genuine and not delivered.is_set():
            print("verified", self.headers["webhook-id"])
            delivered.set()

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}/"
target = call("POST", "/targets", {"name": NAME, "url": url, "events": ["none"]})
secret = target["secret"]
print("created", target["id"])
call("POST", f"/events/{last}/replay", {"target_ids": [target["id"]]})
delivered.wait(60)
call("DELETE", "/targets/" + target["id"])
