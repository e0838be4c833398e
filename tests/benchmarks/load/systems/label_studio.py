"""Label Studio with PostgreSQL, started by `label-studio start` as its installation page says.

One project asks for areas of law (several), which side is more accurate (one) and a rating. A complete answer is one
annotation with all of them, stored by one POST, which is the submit, then the next task. Slow, so its users are given
fewer answers.
"""

import json
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.benchmarks.load.machine import NotMeasured, Place, free_port, responds
from tests.benchmarks.load.systems.system import LABELS, TEXT, Peer, Ready, Sizes
from tests.benchmarks.load.users import Refused, User

CHOICES = "".join(f'<Choice value="area{k}"/>' for k in range(LABELS))
CONFIGURATION = f"""<View><Text name="text" value="$text"/>
<Choices name="areas" toName="text" choice="multiple">{CHOICES}</Choices>
<Choices name="better" toName="text" choice="single">
<Choice value="A"/><Choice value="B"/><Choice value="both"/><Choice value="neither"/></Choices>
<Rating name="certainty" toName="text" maxRating="10"/></View>"""
PREPARE = """
import json, os, sys, time
import label_studio
sys.path.insert(0, os.path.dirname(label_studio.__file__))
os.environ["DJANGO_SETTINGS_MODULE"] = "label_studio.core.settings.label_studio"
import django
django.setup()
from importlib import import_module
from django.conf import settings
from django.contrib.auth import login
from django.core.management import call_command
from django.db import connection
from django.http import HttpRequest
call_command("migrate", verbosity=0)
from organizations.models import Organization
from projects.models import Project
from tasks.models import Task
from users.models import User

told = json.load(sys.stdin)
users = [User.objects.create_user(f"expert{k}@example.org") for k in range(told["users"])]
organization = Organization.create_organization(created_by=users[0], title="Load")
for user in users:
    if user is not users[0]:
        organization.add_user(user)
    user.active_organization = organization
    user.save()
project = Project.objects.create(
    title="Load", created_by=users[0], organization=organization, label_config=told["configuration"],
    maximum_annotations=told["overlap"], is_published=True,
)
Task.objects.bulk_create(
    [
        Task(project=project, data={"text": f"Case {k}. " + told["text"]}, overlap=told["overlap"], inner_id=k + 1)
        for k in range(told["texts"])
    ],
    batch_size=1000,
)
people = []
for number, user in enumerate(users):
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[-1])
    request.session["last_login"] = time.time()
    request.session.save()
    cookies = {settings.SESSION_COOKIE_NAME: request.session.session_key, "csrftoken": told["csrf"]}
    people.append({"project": project.pk, "number": number, "cookies": cookies})
connection.cursor().execute("ANALYZE")
sys.stdout.write("\\n" + json.dumps(people))
"""


class LabelStudio(Peer):
    name = "label-studio"
    title = "Label Studio"
    script = f"{__name__}:LabelStudioUser"
    packages = ("label-studio==1.23.2",)
    most = 1_000

    def start(self, place: Place, sizes: Sizes) -> Ready:
        python = self.installed()
        home = place.folder / "data"
        home.mkdir()
        env = {
            "LABEL_STUDIO_BASE_DATA_DIR": str(home),
            "SECRET_KEY": secrets.token_urlsafe(50),
            "HOME": str(place.folder),
            "LATEST_VERSION_CHECK": "false",
            "COLLECT_ANALYTICS": "false",
            "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": "",
            **database_of(place),
        }
        csrf = secrets.token_hex(16)
        asked = {
            "users": sizes.users,
            "texts": min(sizes.texts, 2_000),
            "overlap": sizes.experts_per_comparison,
            "configuration": CONFIGURATION,
            "text": TEXT,
            "csrf": csrf,
        }
        told = place.run([str(python), "-c", PREPARE], env=env, cwd=place.folder, stdin=json.dumps(asked))
        people = json.loads(told.strip().splitlines()[-1])
        port = free_port()
        program = str(Path(python).parent / "label-studio")
        server = place.start(
            "label-studio",
            [program, "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)],
            env=env,
            cwd=place.folder,
        )
        place.wait(server, lambda: responds(f"http://127.0.0.1:{port}/health"), name="label-studio", seconds=180)
        return Ready(port, people, self.packages[0].partition("==")[2])


def database_of(place: Place) -> dict[str, str]:
    if not place.database:
        return {"DJANGO_DB": "sqlite"}
    address = urlsplit(place.database)
    return {
        "DJANGO_DB": "default",
        "POSTGRE_NAME": place.database_name,
        "POSTGRE_USER": address.username or "",
        "POSTGRE_PASSWORD": address.password or "",
        "POSTGRE_HOST": address.hostname or "127.0.0.1",
        "POSTGRE_PORT": str(address.port or 5432),
    }


class LabelStudioUser(User):
    """An annotator who labels one task after the other."""

    def own_headers(self) -> dict[str, str]:
        return {"X-CSRFToken": self.cookies["csrftoken"]}

    async def start(self) -> None:
        self.task: int | None = None

    async def load(self) -> None:
        try:
            self.task = (await self.fetch("GET", f"/api/projects/{self.person['project']}/next/"))["id"]
        except Refused as refused:
            if not str(refused).startswith("404"):
                raise
            self.task = None

    async def answer(self) -> Any:
        if self.task is None:
            await self.load()
        if self.task is None:
            return None
        answered, self.task = self.task, None
        areas = [f"area{k}" for k in sorted(self.random.sample(range(LABELS), 2))]
        parts = [
            ("areas", "choices", {"choices": areas}),
            ("better", "choices", {"choices": [self.random.choice(("A", "B", "both", "neither"))]}),
            ("certainty", "rating", {"rating": self.random.randrange(1, 11)}),
        ]
        result = [
            {"from_name": name, "to_name": "text", "type": kind, "origin": "manual", "value": value}
            for name, kind, value in parts
        ]
        body = {"result": result, "lead_time": 8.0, "draft_id": 0, "project": self.person["project"]}
        stored = await self.submit(f"/api/tasks/{answered}/annotations/?project={self.person['project']}", body)
        if stored["task"] != answered:
            raise NotMeasured("Label Studio stored another task's annotation")
        await self.load()
        return [self.person["number"], answered]
