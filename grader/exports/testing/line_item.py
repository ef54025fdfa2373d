"""A line item of Assignment and Grade Services 2.0 on 127.0.0.1, from the specification's words. Its first line of output is
its port, further ones the scores that it took. Each user's first request finds it busy."""
import http.server
import json
import re

TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+(Z|[+-]\d{2}:\d{2})")
newest, seen = {}, set()


class LineItem(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.judge(body))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def judge(self, body):
        if self.path != "/courses/7/line_items/31/scores?type_id=2":
            return 404
        if self.headers["Authorization"] != "Bearer s3cret":
            return 401
        if self.headers["Content-Type"] != "application/vnd.ims.lis.v1.score+json":
            return 415
        score = json.loads(body)
        user = score.get("userId")
        if user not in seen:
            seen.add(user)
            return 503
        if user == "unknown":
            return 422
        right = (
            TIME.fullmatch(score["timestamp"])
            and score["scoreGiven"] >= 0
            and score["scoreMaximum"] > 0
            and score["activityProgress"] in ("Initialized", "Started", "InProgress", "Submitted", "Completed")
            and score["gradingProgress"] == "FullyGraded"
        )
        if not right:
            return 400
        if score["timestamp"] <= newest.get(user, ""):  # "the platform MUST NOT update a result that is newer"
            return 409
        newest[user] = score["timestamp"]
        print(f"{user} {score['scoreGiven']:g} of {score['scoreMaximum']:g}", flush=True)
        return 200

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), LineItem)
print(server.server_address[1], flush=True)
server.serve_forever()
