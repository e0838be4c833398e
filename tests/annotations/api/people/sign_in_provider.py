"""A sign-in provider (OpenID Connect) on this machine, over HTTP: as providers are, and lying where a test wants it."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "hlv", "a secret/with: signs"


@dataclass
class Provider:
    """What it says about whom; `claims` replaces claims (None: leaves one out)."""

    port: int = 0
    subject: str = "person-1"
    email: str = "ann@example.org"
    email_verified: Any = True
    claims: dict[str, Any] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)
    algorithm: str = "RS256"
    denies: bool = False
    signs_with: RSAKey | None = None
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}, auto_kid=False))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            **self.document,
        }

    def authorize(self, asked: dict[str, str]) -> str:
        """The person agrees at once, or never (`denies`); returns where their browser is sent."""
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", CLIENT, "S256")
        if self.denies:
            return f"{asked['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        asked = self.codes.pop(form.get("code", ""), None)  # a code is good for one time
        known = base64.b64encode(b"hlv:a%20secret%2Fwith%3A%20signs").decode()
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if (
            asked is None
            or authorization != f"Basic {known}"
            or form["redirect_uri"] != asked["redirect_uri"]
            or base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return None
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.id_token(asked["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": self.subject,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "email": self.email,
            "email_verified": self.email_verified,
            **self.claims,
        }
        said = {name: value for name, value in said.items() if value is not None}
        if self.algorithm == "none":
            parts = ({"alg": "none"}, said)
            return (
                ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=").decode() for one in parts)
                + "."
            )
        if self.algorithm == "HS256":  # signed with what everybody knows: the public key
            header = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"one"}').rstrip(b"=")
            body = base64.urlsafe_b64encode(json.dumps(said).encode()).rstrip(b"=")
            signature = hashlib.sha256(self.key.as_pem(private=False) + header + b"." + body).digest()
            return b".".join((header, body, base64.urlsafe_b64encode(signature).rstrip(b"="))).decode()
        return jwt.encode({"alg": self.algorithm, "kid": "one"}, said, self.signs_with or self.key)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.provider.asked.append(parts.path)
        if parts.path == "/authorize":
            self.send_response(302)
            self.send_header("Location", self.provider.authorize({k: v[0] for k, v in parse_qs(parts.query).items()}))
            self.end_headers()
        elif parts.path == "/keys":
            self._say({"keys": [self.provider.key.as_dict(private=False)]})
        else:
            self._say(self.provider.discovery())

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.provider.asked.append(self.path)
        given = {name: values[0] for name, values in form.items()}
        found = self.provider.token(given, self.headers.get("Authorization", ""))
        self._say(found or {"error": "invalid_grant"}, 200 if found else 400)

    def _say(self, told: dict[str, Any], status: int = 200) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def running() -> Iterator[Provider]:
    """The provider, answering on a port of its own."""
    made = Provider()
    handler = type("Handler", (_Handler,), {"provider": made})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        made.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
