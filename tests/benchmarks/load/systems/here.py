"""This server, started as docs/deploy.md says, with its worker beside it.

A complete answer is what the page sends for one text: two requests, its labels (step 1) and the preference (step 2).
The response to the labels carries step 2 and the text after it; what the study says is kept from the first request.
"""

import json
import os
import secrets
import shutil
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.benchmarks.load.machine import NotMeasured, Place, free_port, responds
from tests.benchmarks.load.systems.system import ROOT, Ready, Sizes, System
from tests.benchmarks.load.users import Refused, User

API = "/api/v1"


class Here(System):
    name = "here"
    title = "HLV Study"
    script = f"{__name__}:Expert"

    def start(self, place: Place, sizes: Sizes) -> Ready:
        port = free_port()
        return self.served(place, sizes, port=port, PUBLIC_URL=f"http://127.0.0.1:{port}")

    def served(self, place: Place, sizes: Sizes, *, port: int, **settings: str) -> Ready:
        """Web server and worker, with a study to answer."""
        env = {"HLV_STATE": str(place.folder / "state"), "SECRET_KEY": secrets.token_urlsafe(50), **settings}
        if place.database:
            env["DATABASE_URL"] = place.database
        program = [sys.executable, "-m", "hlvstudy"]
        place.run([*program, "prepare"], env=env, cwd=ROOT)
        people = self.inside(place, env, "prepare", vars(sizes))["people"]
        address = f"http://127.0.0.1:{port}/health"
        web = place.start("web", [*program, "web", "--bind", f"127.0.0.1:{port}"], env=env, cwd=ROOT)
        place.wait(web, lambda: responds(f"{address}/live"), name="web", seconds=120)
        if not sizes.is_small:
            worker = place.start("worker", [*program, "worker", "--concurrency", "2"], env=env, cwd=ROOT)
            place.wait(
                worker, lambda: responds(f"{address}/ready", saying=b'"worker": true'), name="worker", seconds=120
            )
        from hlvstudy import __version__

        return Ready(port, people, __version__, {"env": env})

    def problems(self, place: Place, ready: Ready, acknowledged: Sequence[Any]) -> list[str]:
        told = self.inside(place, ready.checked["env"], "check", list(acknowledged))
        return list(told["problems"])

    @staticmethod
    def inside(place: Place, env: Mapping[str, str], what: str, told: Any) -> Any:
        """One of the things that are done with this server's settings."""
        command = [sys.executable, "-m", "tests.benchmarks.load.inside", what]
        env = {**env, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings"}
        return json.loads(place.run(command, env=env, cwd=ROOT, stdin=json.dumps(told)))


class BehindNginx(Here):
    """The same with the documented front, over TLS."""

    name = "here-nginx"
    title = "HLV Study behind nginx"

    def start(self, place: Place, sizes: Sizes) -> Ready:
        nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if not nginx or not shutil.which("openssl"):
            raise NotMeasured("nginx or openssl is not installed")
        port, front = free_port(), free_port()
        settings = {"PUBLIC_URL": f"https://127.0.0.1:{front}", "BEHIND_PROXY": "1"}
        ready = self.served(place, sizes, port=port, **settings)
        folder = place.folder / "nginx"
        folder.mkdir()
        told = {"folder": str(folder), "upstream": f"127.0.0.1:{port}", "port": front}
        configuration = self.inside(place, ready.checked["env"], "front", told)["configuration"]
        place.folder.chmod(0o755)
        command = [nginx, "-p", str(folder), "-c", configuration, "-e", str(place.folder / "front.log")]
        server = place.start("nginx", [*command, "-g", "daemon off;"], env={}, cwd=folder)
        place.wait(server, lambda: responds(f"https://127.0.0.1:{front}/health/live"), name="nginx", seconds=30)
        people = [{**one, "origin": settings["PUBLIC_URL"]} for one in ready.people]
        return replace(ready, port=front, people=people, is_tls=True)


class Expert(User):
    """An expert's page. Follows what the responses carry; what they do not carry, it asks for as the page does."""

    def own_headers(self) -> dict[str, str]:
        told = {"X-HLV-User": str(self.person["user"]), "Accept-Language": "en"}
        if "origin" in self.person:
            told["Origin"] = self.person["origin"]
        if "csrftoken" in self.cookies:
            told["X-CSRFToken"] = self.cookies["csrftoken"]
        return told

    async def start(self) -> None:
        session = await self.fetch("GET", f"{API}/session/")
        if (session["user"] or {}).get("id") != self.person["user"]:
            raise NotMeasured("the session that was made for an expert was not taken")
        self.task = await self.fetch("POST", f"{API}/studies/{self.person['slug']}/next/", {})
        labels = [label for label in self.task["study"]["labels"] if not label["exclusive"]]
        self.positions = [label["position"] for label in labels]

    async def answer(self) -> Any:
        shown = self.task["assignment"]
        if shown is None and self.task["more"]:
            self.task = await self.fetch("POST", f"{API}/studies/{self.person['slug']}/more/", {})
            shown = self.task["assignment"]
        if shown is None:
            return None
        token, seen = shown["token"], {"instrument_version": self.task["study"]["instrument_version"]}
        acknowledged: dict[str, Any] = {"token": token}
        ahead = None
        if shown["step"] == 1:
            key = str(uuid.uuid4())
            chosen = sorted(self.random.sample(self.positions, self.random.choice((1, 1, 2, 3))))
            step_1 = {"key": key, "labels": chosen, "active_ms": 5500, "page_language": "en", **seen}
            reply = await self.submit(f"{API}/assignments/{token}/labels/", step_1)
            acknowledged["labels"] = [key, chosen]
            shown, ahead = reply["assignment"], reply["next"]
        key = str(uuid.uuid4())
        a, b = self.random.choice(
            ((True, True), (False, False))
            if shown["comparison"]["identical"]
            else ((True, False), (False, True), (True, True), (False, False))
        )
        certainty = round(self.random.random(), 2)
        step_2 = {"key": key, "a_chosen": a, "b_chosen": b, "certainty": certainty, "active_ms": 2400, **seen}
        if ahead and ahead["assignment"]:
            step_2["ahead"] = ahead["assignment"]["token"]
        reply = await self.submit(f"{API}/assignments/{token}/preference/", {**step_2, "page_language": "en"})
        acknowledged["preference"] = [key, a, b, certainty]
        self.task = {**self.task, **(reply["next"] or ahead or {})}
        # Passed over were places that others were just taking; only this request waits for them.
        is_open = self.task["assignment"] is None and self.task["finished"] in {"", "nothing_available"}
        if is_open or reply["instrument_version"] != self.task["study"]["instrument_version"]:
            self.task = await self.fetch("POST", f"{API}/studies/{self.person['slug']}/next/", {})
        if self.task["assignment"] and self.task["assignment"]["token"] == token:
            raise Refused("the same text came again")
        return acknowledged
