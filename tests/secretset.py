"""A seeded set of fake secrets in sentences, and of clean lines that only look suspicious. Written from the issuers' formats.

Two sets of carrier sentences: rules may be tuned on `SEEN`; `HELD_OUT` is only measured on.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
LOWER = string.ascii_lowercase + string.digits
URL64 = ALNUM + "_-"
B64 = ALNUM + "+/"
SYMBOLS = ALNUM + "!#$%^&*+-_?"


WORDS = (
    "sunshine", "dragon", "harbour", "walnut", "penguin", "lantern", "copper", "meadow", "pebble", "thunder",
)  # fmt: skip


class Sample(NamedTuple):
    """One line that holds a secret: its kind, the line, and the part that must not survive."""

    kind: str
    line: str
    secret: str
    prefixed: bool  # the secret can be told by its own beginning


class Maker:
    """Draws secrets of the right form from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def of(self, alphabet: str, size: int) -> str:
        return "".join(self.random.choice(alphabet) for _ in range(size))

    def mixed(self, alphabet: str, size: int) -> str:
        """Like `of`, but always with a letter and a digit, as password generators promise."""
        while True:
            text = self.of(alphabet, size)
            if (
                any(map(str.isdigit, text))
                and any(map(str.isalpha, text))
                and text[0].isalnum()
                and text[-1].isalnum()
            ):
                return text

    def word(self) -> str:
        return self.random.choice(WORDS)

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def jwt(self) -> str:
        def part(value: object) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        claims = {
            "sub": self.of(LOWER, 12),
            "iat": self.random.randint(10**9, 2 * 10**9),
            "name": self.word(),
        }
        return ".".join((part({"alg": "HS256", "typ": "JWT"}), part(claims), self.of(URL64, 43)))

    def pem(self, name: str) -> str:
        lines = "\n".join(self.of(B64, 64) for _ in range(4))
        return f"-----BEGIN {name}-----\n{lines}\n{self.of(B64, 20)}==\n-----END {name}-----"


# Kinds whose values can be told by how they begin.
PREFIXED: dict[str, Callable[[Maker], str]] = {
    "aws id": lambda m: "AKIA" + m.of(BASE32, 16),
    "aws session id": lambda m: "ASIA" + m.of(BASE32, 16),
    "github classic": lambda m: "ghp_" + m.of(ALNUM, 36),
    "github app": lambda m: "ghs_" + m.of(ALNUM, 36),
    "github fine": lambda m: "github_pat_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 59),
    "gitlab": lambda m: "glpat-" + m.mixed(URL64, 20),
    "gitlab routable": lambda m: "glpat-" + m.mixed(URL64, 27) + ".01." + m.of(LOWER, 9),
    "gitlab runner": lambda m: "glrt-" + m.mixed(URL64, 20),
    "openai old": lambda m: "sk-" + m.of(ALNUM, 20) + "T3BlbkFJ" + m.of(ALNUM, 20),
    "openai project": lambda m: "sk-proj-" + m.mixed(URL64, 74) + "T3BlbkFJ" + m.mixed(URL64, 74),
    "anthropic": lambda m: "sk-ant-api03-" + m.mixed(URL64, 93) + "AA",
    "openrouter": lambda m: "sk-or-v1-" + m.of(HEX, 64),
    "huggingface": lambda m: "hf_" + m.of(string.ascii_letters, 34),
    "groq": lambda m: "gsk_" + m.of(ALNUM, 52),
    "replicate": lambda m: "r8_" + m.of(ALNUM, 37),
    "slack bot": lambda m: f"xoxb-{m.of(string.digits, 12)}-{m.of(string.digits, 13)}-{m.of(ALNUM, 24)}",
    "slack app": lambda m: f"xapp-1-A{m.of(BASE32, 10)}-{m.of(string.digits, 13)}-{m.of(HEX, 64)}",
    "slack hook": lambda m: f"https://hooks.slack.com/services/T{m.of(BASE32, 8)}/B{m.of(BASE32, 10)}/{m.of(ALNUM, 24)}",
    "discord bot": lambda m: f"M{m.of(ALNUM, 23)}.{m.of(ALNUM, 6)}.{m.mixed(URL64, 38)}",
    "discord hook": lambda m: f"https://discord.com/api/webhooks/{m.of(string.digits, 18)}/{m.mixed(URL64, 68)}",
    "telegram": lambda m: f"{m.random.randint(10**8, 10**10 - 1)}:AA{m.mixed(URL64, 33)}",
    "stripe": lambda m: "sk_live_" + m.of(ALNUM, 24),
    "stripe restricted": lambda m: "rk_test_" + m.of(ALNUM, 99),
    "stripe hook": lambda m: "whsec_" + m.of(ALNUM, 32),
    "square": lambda m: "sq0atp-" + m.mixed(URL64, 22),
    "shopify": lambda m: "shpat_" + m.of(HEX, 32),
    "google api": lambda m: "AIza" + m.mixed(URL64, 35),
    "google client": lambda m: "GOCSPX-" + m.mixed(URL64, 28),
    "google access": lambda m: "ya29.a0" + m.mixed(URL64, 100),
    "azure ad": lambda m: m.of(ALNUM, 3) + "8Q~" + m.mixed(URL64, 34),
    "digitalocean": lambda m: "dop_v1_" + m.of(HEX, 64),
    "npm": lambda m: "npm_" + m.of(ALNUM, 36),
    "pypi": lambda m: "pypi-AgEIcHlwaS5vcmc" + m.mixed(URL64, 150),
    "rubygems": lambda m: "rubygems_" + m.of(HEX, 48),
    "docker hub": lambda m: "dckr_pat_" + m.mixed(URL64, 27),
    "sendgrid": lambda m: f"SG.{m.mixed(URL64, 22)}.{m.mixed(URL64, 43)}",
    "twilio": lambda m: "SK" + m.of(HEX, 32),
    "mailchimp": lambda m: m.of(HEX, 32) + "-us" + str(m.random.randint(1, 21)),
    "linear": lambda m: "lin_api_" + m.of(ALNUM, 40),
    "notion": lambda m: "ntn_" + m.of(ALNUM, 46),
    "airtable": lambda m: f"pat{m.of(ALNUM, 14)}.{m.of(HEX, 64)}",
    "figma": lambda m: "figd_" + m.mixed(URL64, 40),
    "hubspot": lambda m: "pat-na1-" + m.uuid(),
    "postman": lambda m: f"PMAK-{m.of(HEX, 24)}-{m.of(HEX, 34)}",
    "grafana": lambda m: f"glsa_{m.of(ALNUM, 32)}_{m.of(HEX, 8)}",
    "new relic": lambda m: "NRAK-" + m.of(BASE32, 27),
    "databricks": lambda m: "dapi" + m.of(HEX, 32),
    "doppler": lambda m: "dp.pt." + m.of(ALNUM, 43),
    "vault": lambda m: "hvs." + m.mixed(URL64, 24),
    "tailscale": lambda m: f"tskey-auth-{m.of(ALNUM, 12)}CNTRL-{m.of(ALNUM, 32)}",
    "age": lambda m: "AGE-SECRET-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "sentry": lambda m: "sntryu_" + m.of(HEX, 64),
    "planetscale": lambda m: "pscale_tkn_" + m.mixed(URL64, 43),
    "supabase": lambda m: "sbp_" + m.of(HEX, 40),
    "jwt": Maker.jwt,
    "rsa key": lambda m: m.pem("RSA PRIVATE KEY"),
    "openssh key": lambda m: m.pem("OPENSSH PRIVATE KEY"),
    "pkcs8 key": lambda m: m.pem("PRIVATE KEY"),
}  # fmt: skip

# Kinds that are told by what stands around them: (line with {}, value). The carrier is put around the line.
NAMED: dict[str, tuple[str, Callable[[Maker], str]]] = {
    "aws secret": ("aws_secret_access_key = {}", lambda m: m.mixed(B64, 40)),
    "env token": ("SERVICE_API_TOKEN={}", lambda m: m.mixed(ALNUM, 32)),
    "env key": ("export DATADOG_API_KEY={}", lambda m: m.of(HEX, 32)),
    "env quoted": ('JWT_SECRET="{}"', lambda m: m.mixed(SYMBOLS, 24)),
    "env password": ("DB_PASSWORD={}", lambda m: m.mixed(ALNUM, 16)),
    "json password": ('{{"user": "nora", "password": "{}"}}', lambda m: m.mixed(SYMBOLS, 12)),
    "json camel": ('{{"clientSecret": "{}", "region": "eu"}}', lambda m: m.mixed(URL64, 40)),
    "yaml key": ("api_key: {}", lambda m: m.of(HEX, 40)),
    "yaml token": ("access_token: '{}'", lambda m: m.mixed(URL64, 48)),
    "code": ('client = Client(api_key="{}", timeout=30)', lambda m: m.mixed(ALNUM, 36)),
    "postgres url": ("postgres://app:{}@db.internal:5432/prod", lambda m: m.mixed(ALNUM, 14)),
    "mongo url": ("mongodb+srv://admin:{}@cluster0.ab1cd.mongodb.net/test?retryWrites=true", lambda m: m.mixed(ALNUM + "!$*-_", 18)),
    "redis url": ("redis://:{}@cache:6379/0", lambda m: m.mixed(ALNUM, 20)),
    "git url": ("https://nora:{}@git.example.org/studio/plans.git", lambda m: m.mixed(ALNUM, 20)),
    "ado.net": ("Server=tcp:db,1433;Database=prod;User ID=sa;Password={};Encrypt=True", lambda m: m.mixed(ALNUM + "!#$*", 16)),
    "azure storage": ("DefaultEndpointsProtocol=https;AccountName=studio;AccountKey={};EndpointSuffix=core.windows.net", lambda m: m.mixed(B64, 86) + "=="),
    "bearer": ("Authorization: Bearer {}", lambda m: m.mixed(URL64, 40)),
    "basic": ("Authorization: Basic {}", lambda m: base64.b64encode(f"nora:{m.mixed(ALNUM, 12)}".encode()).decode()),
    "x-api-key": ("X-Api-Key: {}", lambda m: m.mixed(ALNUM, 32)),
    "curl user": ("curl -u nora:{} https://api.example.org/v1/plans", lambda m: m.mixed(ALNUM, 12)),
    "cookie": ("Cookie: session={}; theme=dark", lambda m: m.mixed(URL64, 44)),
    "query": ("GET /v1/plans?access_token={}&page=2", lambda m: m.mixed(ALNUM, 32)),
    "sas": ("https://studio.blob.core.windows.net/c/a.pdf?sv=2024-11-04&sp=r&sig={}", lambda m: m.mixed(ALNUM, 40) + "%3D"),
    "password strong": ("password: {}", lambda m: m.mixed(SYMBOLS, 12)),
    "password digits": ("password: {}", lambda m: m.word() + str(m.random.randint(10, 9999))),
    "password weak": ("password: {}", Maker.word),
    "password said": ("the wifi password is {}", lambda m: m.word().capitalize() + str(m.random.randint(10, 9999))),
    "password quoted": ('my password is "{}"', Maker.word),
    "token said": ("the access token is {}", lambda m: m.mixed(URL64, 32)),
    "key said": ("my weather api key is {}", lambda m: m.of(HEX, 32)),
    "secret table": ("| client secret | {} |", lambda m: m.mixed(ALNUM, 30)),
    "netrc": ("machine git.example.org login nora password {}", lambda m: m.mixed(ALNUM, 14)),
    "npmrc": ("//npm.example.org/:_authToken={}", Maker.uuid),
    "flag": ("deploy --token {} --region eu", lambda m: m.mixed(ALNUM, 28)),
    "flag password": ("createuser --password={} nora", lambda m: m.mixed(ALNUM, 12)),
    "mysql": ("mysql -h db -u root -p{} prod", lambda m: m.mixed(ALNUM, 12)),
    "pin": ("The PIN is {}", lambda m: m.of(string.digits, 4)),
    "wireguard": ("PrivateKey = {}", lambda m: m.mixed(B64, 43) + "="),
    "otp": ("otpauth://totp/Studio:nora?secret={}&issuer=Studio", lambda m: m.mixed(BASE32, 32)),
}  # fmt: skip

SEEN = (
    "{}", "I ran the deploy with {} and it worked", "config says {} please remember", "user: here it is: {}", "> {}", "`{}`",
    "- {}", "first line\n{}\nlast line", "{} (do not share)", "2025-04-08T14:32:10Z INFO {}",
)  # fmt: skip
HELD_OUT = (
    "{}", "Could you save this for later? {}", "{}\nThat is the one we use on staging.", "```\n{}\n```", "Jürgen wrote: “{}”",
    "* {}", "$ {}", "it did not work yesterday but today {}", "[10:42] nora> {}", "{}\r\n", "\t{}\n", "Notes from Tuesday:\n\n{}\n\nAsk Priya.",
    "see {}, then restart", "DEBUG worker-3 | {}", "# {}",
)  # fmt: skip


def samples(seed: int, carriers: tuple[str, ...], each: int) -> Iterator[Sample]:
    """Lines with one secret each: every kind `each` times, in sentences drawn from the carriers."""
    maker = Maker(seed)
    for kind, make in PREFIXED.items():
        for _ in range(each):
            written = make(maker)
            secret = written.rsplit("/", 1)[-1] if written.startswith("https:") else written
            yield Sample(kind, maker.random.choice(carriers).replace("{}", written), secret, prefixed=True)
    for kind, (line, make) in NAMED.items():
        for _ in range(each):
            secret = make(maker)
            carried = maker.random.choice(carriers).replace("{}", line.replace("{{", "{").replace("}}", "}"))
            yield Sample(kind, carried.replace("{}", secret), secret, prefixed=False)


PROSE = [
    "the", "user", "prefers", "dark", "mode", "commit", "fix", "deploy", "server", "python", "memory",
    "vault", "meeting", "project", "alice", "lisbon", "token", "budget", "password", "reset", "flow",
    "secret", "santa", "api", "key", "rotation", "policy", "authentication", "bearer", "of", "news", "pin",
    "the", "note", "basic", "credentials", "course", "author",
]  # fmt: skip
SUSPICIOUS = (
    "He forgot his password: again he had to call support.",
    "The password must have at least 12 characters, one digit and one symbol.",
    "Password: required, at least 8 characters",
    "password reset link was sent to nora@example.org",
    "The secret: three days of rest and oat milk.",
    "Our secret ingredient is buckwheat from the mill in Ribe.",
    "token budget: 600 tokens, framing included",
    "max_tokens: 4096, temperature: 0.2",
    "tokens used: 12345 of 200000",
    "def login(user: str, password: str, token: str | None = None) -> Session:",
    'token = os.environ["API_TOKEN"]',
    "const apiKey = process.env.API_KEY;",
    "password = getpass.getpass()",
    "api_key: ${API_KEY}",
    "api_key: <your api key here>",
    "PASSWORD=changeme_here  # replace me",
    "self.token = token or self.settings.token",
    "secrets.token_urlsafe(32) makes a good token",
    "primary key: id, foreign key: project_id",
    "Key: A minor, tempo 96",
    "cache key: notes:index:2025",
    "key results: 3 of 5 done by 2025-06-30",
    "press any key: the demo starts",
    "The author: Astrid Lindgren, pinned by basic authentication people",
    "auth: oauth2, scope: read",
    "https://example.org/reset?step=2&lang=de#password",
    "see https://nora.example.org:8443/@nora/plans for the pin board",
    "git@github.com:nora/plans.git",
    "basic training: Monday 9:00 with Tomás",
    "bearer of good news: the permit came",
    "class TokenBucket(Generic[T]): rate: float = 10.0",
    "The passphrase policy changed on 2025-03-01.",
    "pass: 1204 tests, fail: 0",
    "passport: ask Nora before Friday",
    "compass: 214 degrees, wind 9 m/s",
    "keyboard: ISO, keycaps: grey",
    "if token == expected_token and key in cache_keys: return None",
    "password_hash, password_salt = hash_password(raw)",
    '{"type": "password", "label": "Password", "required": true}',
    '<input type="password" name="password" placeholder="Enter your password">',
    "credentials: include",
    "PIN the agenda to the door, 14 sheets",
    "the code for the alarm is 1200 lines long",
    "set pin 2048 high",
    "the PIN's wrong",
    "The token expired after 3600 seconds, so the key rotation took 2 days",
    "skills/send-email/SKILL.md was approved by Nora on 2025-04-09",
    "ask-someone-who-knows-about-boats-2025 is the slug of the note",
)  # fmt: skip


def clean(seed: int, count: int) -> Iterator[str]:
    """Lines without a secret: prose, code, hashes, UUIDs, git ids, Base64 images, ids of notes."""
    maker = Maker(seed)
    makers: tuple[Callable[[], str], ...] = (
        lambda: " ".join(maker.random.choice(PROSE) for _ in range(25)),
        lambda: f"commit {maker.of(HEX, 40)} fixed issue #{maker.random.randint(1, 999)}",
        lambda: f"id: mem-{maker.uuid()} sha256:{maker.of(HEX, 64)}",
        lambda: (
            f"ep-{maker.random.randint(2024, 2026)}{maker.random.randint(1, 12):02}08-{maker.word()} and log:s{maker.of(string.digits, 3)}/14"
        ),
        lambda: f"index {maker.of(HEX, 7)}..{maker.of(HEX, 7)} 100644",
        lambda: f"md5 {maker.of(HEX, 32)}  plans-{maker.random.randint(1, 60)}.pdf",
        lambda: "iVBORw0KGgo" + maker.of(B64, 300) + "==",
        lambda: (
            f"The boathouse needs {maker.random.randint(2, 99)} piles, {maker.word()} said, and the key is under the {maker.word()}."
        ),
        lambda: (
            f"{maker.word()}_{maker.word()} = compute({maker.word()}, n={maker.random.randint(1, 500)})  # {maker.word()}"
        ),
        lambda: f"2025-04-08T14:32:10Z GET /v1/notes/{maker.uuid()} 200 {maker.random.randint(1, 900)} ms",
        lambda: maker.random.choice(SUSPICIOUS),
    )
    for number in range(count):
        yield makers[number % len(makers)]()


def survives(sample: Sample, text: str) -> bool:
    """True when a telling part of the secret is still in a text: a line of a block, or eight characters of its body."""
    if "\n" in sample.secret:
        return any(
            line in text
            for line in sample.secret.split("\n")
            if len(line) > 3 and not line.startswith("-----")
        )
    body = sample.secret[len(sample.secret) // 3 :]
    parts = [body[at : at + 8] for at in range(len(body) - 7)] or [sample.secret]
    return sample.secret in text or any(part in text for part in parts)
