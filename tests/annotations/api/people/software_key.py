"""A security key in software: makes and uses real passkeys, and lies where a test wants it to."""

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, WITH_KEY = 1, 4, 64


def text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def raw(value: str) -> bytes:
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))


@dataclass
class SoftwareKey:
    """One passkey; `domain`, `origin` and `flags` are what it claims."""

    domain: str = "localhost"
    origin: str = "http://localhost"
    flags: int = PRESENT | VERIFIED
    count: int = 0
    step: int = 1
    number: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def make(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.create` returns."""
        numbers = self.private.public_key().public_numbers()
        key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)})
        known = bytes(16) + len(self.number).to_bytes(2) + self.number + key
        attested = {"fmt": "none", "attStmt": {}, "authData": self._data(WITH_KEY) + known}
        return self._credential(
            clientDataJSON=text(self._client("webauthn.create", options)), attestationObject=text(cbor2.dumps(attested))
        )

    def use(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.get` returns."""
        self.count += self.step
        data, client = self._data(0), self._client("webauthn.get", options)
        signed = self.private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._credential(clientDataJSON=text(client), authenticatorData=text(data), signature=text(signed))

    def _data(self, further: int) -> bytes:
        return hashlib.sha256(self.domain.encode()).digest() + bytes([self.flags | further]) + self.count.to_bytes(4)

    def _client(self, what: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": what, "challenge": options["challenge"], "origin": self.origin}).encode()

    def _credential(self, **response: Any) -> dict[str, Any]:
        return {"id": text(self.number), "rawId": text(self.number), "type": "public-key", "response": response}
