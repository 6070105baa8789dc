"""Forms of secrets beside those of `secretset`: wrapped, named, hashed, linked, spoken in several languages. Every value is made up.

`FIRST` was written before the rules that find them, `AFTER` afterwards; rules may be tuned on `FIRST` only.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterator
from typing import NamedTuple

from secretset import ALNUM, B64, HEX, LOWER, URL64, Maker

CRYPT = ALNUM + "./"


class Form(NamedTuple):
    """One way to write a secret: the text around it, how the secret is made, and how it is written there."""

    kind: str
    text: str
    make: Callable[[Maker], str]
    written: Callable[[str], str] = str


class Written(NamedTuple):
    """A text that holds a secret, and the secret."""

    kind: str
    text: str
    secret: str


def password(m: Maker) -> str:
    """What people choose: a word, a number, perhaps a sign."""
    return m.word().capitalize() + str(m.random.randint(10, 9999)) + m.random.choice(("", "!", "#", "?!"))


def generated(m: Maker) -> str:
    return m.mixed(ALNUM, 20)


def github(m: Maker) -> str:
    return "ghp_" + m.of(ALNUM, 36)


def openai(m: Maker) -> str:
    return "sk-proj-" + m.mixed(ALNUM, 64)


def gitlab(m: Maker) -> str:
    return "glpat-" + m.mixed(ALNUM + "_-", 20)


def stripe(m: Maker) -> str:
    return "sk_live_" + m.of(ALNUM, 24)


def inside(mark: str, at: int = 8) -> Callable[[str], str]:
    return lambda secret: secret[:at] + mark + secret[at:]


def everywhere(mark: str) -> Callable[[str], str]:
    return mark.join


def in_lines(separator: str, size: int) -> Callable[[str], str]:
    return lambda secret: separator.join(secret[at : at + size] for at in range(0, len(secret), size))


def escaped(secret: str) -> str:
    return re.sub(r"([_*.~#+!\-$])", r"\\\1", secret)


def percent(secret: str) -> str:
    return "".join(c if c.isalnum() else f"%{ord(c):02X}" for c in secret)


def percent_all(secret: str) -> str:
    return "".join(f"%{ord(c):02x}" for c in secret)


def full_width(secret: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) for c in secret)


def base64_of(secret: str) -> str:
    return base64.b64encode(secret.encode()).decode()


def body(m: Maker, lines: int = 6) -> str:
    return "\n".join(m.of(B64, 64) for _ in range(lines))


FIRST = (
    # Marks that nobody sees
    Form("invisible", "my token {} for CI", github, inside("\u200b")),
    Form("invisible", "key: {}", openai, inside("\u2060", 20)),
    Form("invisible", "{}", gitlab, inside("\ufeff", 3)),
    Form("invisible", "use {} here", stripe, inside("\u00ad", 12)),
    Form("invisible", "pw: password={}", generated, inside("\u200d", 6)),
    Form("invisible", "the token is {}", github, everywhere("\u200c")),
    Form("invisible", "pass\u200bword: {}", password),
    Form("full width", "トークンは {} です", github, full_width),
    # Escapes
    Form("escape", "the token {}", github, escaped),
    Form("escape", "- key {} (staging)", lambda m: "sk_test_" + m.of(ALNUM, 24), escaped),
    Form("escape", "{}", gitlab, escaped),
    Form("escape", "DB\\_PASSWORD={}", password),
    Form("escape", "**api\\_key**: {}", generated),
    Form("escape", "SLACK {}", lambda m: f"xoxb-{m.of('123456789', 12)}-{m.of('123456789', 12)}-{m.of(ALNUM, 24)}", escaped),
    # Percent
    Form("percent", "https://example.org/cb?x={}", github, percent),
    Form("percent", "https://example.org/cb?next=%2Fapi%3Ftoken%3D{}%26page%3D2", generated),
    Form("percent", "redirect={}", stripe, percent_all),
    Form("percent", "postgres://app:{}@db.example.org/prod", lambda m: m.word() + "@" + m.mixed(ALNUM, 8), percent),
    Form("percent", "Authorization%3A%20Bearer%20{}", lambda m: m.mixed(ALNUM, 40)),
    # Lines
    Form("line", "token\n{}\nend", github, in_lines("\n", 20)),
    Form("line", "Key: {}", openai, in_lines("=\n", 30)),
    Form("line", "{}", openai, in_lines("\\\n", 24)),
    Form("line", "> mail says\n> {}", openai, in_lines("\n> ", 40)),
    Form("line", "see {} ok", gitlab, in_lines("<br>", 14)),
    Form("line", "curl -H 'X-Key: a' \\\n  -H 'Authorization: Bearer {}'", Maker.jwt, in_lines("\n    ", 60)),
    Form("entity", "token {}", github, lambda s: s.replace("_", "&#95;")),
    Form("entity", "&lt;password&gt;{}&lt;/password&gt;", password),
    Form("json escape", '{"note": "{}"}', github, lambda s: s.replace("_", "\\u005f")),
    # JSON Web Keys
    Form("jwk", '{"kty":"EC","crv":"P-256","x":"abc","y":"def","d":"{}"}', lambda m: m.mixed(URL64, 43)),
    Form("jwk", '{\n  "kty": "OKP",\n  "d": "{}",\n  "crv": "Ed25519"\n}', lambda m: m.mixed(URL64, 43)),
    Form("jwk", '{"kty": "oct", "k": "{}", "alg": "HS256"}', lambda m: m.mixed(URL64, 64)),
    Form("jwk", '{"p":"{}","kty":"RSA","e":"AQAB"}', lambda m: m.mixed(URL64, 171)),
    # Logins without a scheme
    Form("login", "git clone oauth2:{}@gitlab.example.org/studio/plans.git", generated),
    Form("login", "remote is x-access-token:{}@github.com/nora/plans", generated),
    Form("login", "nora:{}@db.example.org:5432/prod", password),
    Form("login", "amqp broker is admin:{}@mq.example.org", lambda m: m.mixed(ALNUM, 14)),
    Form("login", "ftp nora:{}@ftp.example.org", password),
    # Names
    Form("name", "GH_PAT={}", generated),
    Form("name", "STRIPE_SK={}", generated),
    Form("name", "DB_CREDS=admin:{}", password),
    Form("name", "export GITLAB_PAT='{}'", lambda m: m.mixed(ALNUM, 24)),
    Form("name", "SMTP_PW={}", password),
    Form("name", "wifi_psk={}", password),
    Form("name", "DATABASE_DSN=app:{}@tcp(db:3306)/prod", password),
    Form("name", "SENTRY_DSN=https://{}@o12345.ingest.sentry.io/4507", lambda m: m.of(HEX, 32)),
    Form("name", "FLASK_SIGNING_SALT={}", generated),
    Form("name", "ENCRYPTION_SEED={}", lambda m: m.of(HEX, 64)),
    Form("name", "userPw: {}", password),
    Form("name", "session_id={}", lambda m: m.mixed(ALNUM, 32)),
    Form("name", "JWT={}", lambda m: m.mixed(ALNUM, 48)),
    Form("name", "TOTP_SEED={}", lambda m: m.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)),
    Form("name", "kubectl create secret generic db --from-literal=dsn={}", generated),
    Form("name", "backup code: {}", lambda m: f"{m.of(HEX, 5)}-{m.of(HEX, 4)}7"),
    Form("name", '<add name="Main" connectionString="Server=db;User=sa;Pwd={};" />', password),
    Form("name", "Sas: SharedAccessSignature sr=hub&sig={}&se=17", lambda m: m.mixed(ALNUM, 43)),
    Form("name", "PGPASSWORD={} psql -h db", password),
    Form("name", "webhook_url=https://example.org/hooks/{}", lambda m: m.mixed(ALNUM, 32)),
    # Hashes of passwords
    Form("hash", "root:{}:19500:0:99999:7:::", lambda m: f"$6${m.of(CRYPT, 16)}${m.of(CRYPT, 86)}"),
    Form("hash", "nora:{}", lambda m: f"$apr1${m.of(CRYPT, 8)}${m.of(CRYPT, 22)}"),
    Form("hash", "stored as {}", lambda m: f"$2b$12${m.of(CRYPT, 53)}"),
    Form("hash", "hash {} in users", lambda m: f"$argon2id$v=19$m=65536,t=3,p=4${m.of(B64, 22)}${m.of(B64, 43)}"),
    Form("hash", "{}", lambda m: f"pbkdf2_sha256$600000${m.of(ALNUM, 22)}${m.of(B64, 43)}="),
    Form("hash", "userPassword: {}", lambda m: "{SSHA}" + m.of(B64, 32)),
    Form("hash", "shadow {}", lambda m: f"$y$j9T${m.of(CRYPT, 22)}${m.of(CRYPT, 43)}"),
    Form("hash", "wp {}", lambda m: f"$P$B{m.of(CRYPT, 30)}"),
    Form("hash", "rolpassword {}", lambda m: f"SCRAM-SHA-256$4096:{m.of(B64, 22)}==${m.of(B64, 43)}=:{m.of(B64, 43)}="),
    # Keys in blocks
    Form("pem", "-----BEGIN PRIVATE KEY-----\n{}", body),
    Form("pem", "-----BEGIN RSA PRIVATE KEY-----<br>{}<br>-----END RSA PRIVATE KEY-----", body, lambda s: s.replace("\n", "<br>")),
    Form("pem", "-----BEGIN EC PRIVATE KEY-----<br/>{}", body, lambda s: s.replace("\n", "<br/>\n")),
    Form("pem", "> -----BEGIN OPENSSH PRIVATE KEY-----\n> {}", body, lambda s: s.replace("\n", "\n> ")),
    Form("pem", "+-----BEGIN PRIVATE KEY-----\n+{}\n+-----END PRIVATE KEY-----", body, lambda s: s.replace("\n", "\n+")),
    Form("pem", "-----BEGIN PRIVATE KEY-----{}", body, lambda s: s.replace("\n", "")),
    Form("pem", "ssh key body:\n{}", lambda m: "b3BlbnNzaC1rZXktdjEAAAAA" + m.of(B64, 240)),
    Form("pem", "tls.key: {}", lambda m: m.pem("PRIVATE KEY"), base64_of),
    # Links
    Form("link", "https://app.example.org/reset-password?token={}", generated),
    Form("link", "Reset: https://example.org/users/password/edit?reset_password_token={}", generated),
    Form("link", "https://example.org/reset/{}", lambda m: m.mixed(URL64, 32)),
    Form("link", "sign in here https://example.org/magic-link/{}", lambda m: m.mixed(ALNUM, 40)),
    Form("link", "https://example.org/login/verify?code={}&state=2", lambda m: m.mixed(ALNUM, 24)),
    Form("link", "https://example.org/accounts/password/reset/Mg/{}/", lambda m: f"c4{m.of(LOWER, 4)}-{m.of(HEX, 32)}"),
    Form("link", "[Anmelden](https://example.org/anmelden?ticket={})", generated),
    Form("link", "https://us02web.zoom.us/j/83123456789?pwd={}", lambda m: m.mixed(ALNUM, 32)),
    Form("link", "https://x.firebaseapp.com/__/auth/action?mode=resetPassword&oobCode={}&apiKey=x", lambda m: m.mixed(URL64, 54)),
    # Spoken
    Form("spoken", "das WLAN-Passwort lautet {}", password),
    Form("spoken", "Das Passwort für den Router ist jetzt {}.", password),
    Form("spoken", "la password è {}", password),
    Form("spoken", "密码是{}", password),
    Form("spoken", "路由器的密码是 {}。", password),
    Form("spoken", "le mot de passe du wifi est {}", password),
    Form("spoken", "La contraseña del wifi es {}", password),
    Form("spoken", "a senha do wifi é {}", password),
    Form("spoken", "het wachtwoord is {}", password),
    Form("spoken", "パスワードは{}です", password),
    Form("spoken", "비밀번호는 {} 입니다", password),
    Form("spoken", "пароль от вайфая — {}", password),
    Form("spoken", "hasło do wifi to {}", password),
    Form("spoken", "{} is the wifi password", password),
    Form("spoken", "log in as nora with password {}", password),
    Form("spoken", "der WLAN-Schlüssel lautet {}", generated),
    Form("spoken", "the door code is {}", lambda m: m.of("123456789", 6)),
    Form("spoken", "door code {}", lambda m: m.of("123456789", 4)),
    Form("spoken", "my passcode's {}", lambda m: m.of("123456789", 6)),
    Form("spoken", "the code for the back gate is {}#", lambda m: m.of("123456789", 4)),
    Form("spoken", "the safe's combination is {}", lambda m: "-".join(m.of("123456789", 2) for _ in range(3))),
    Form("spoken", "Der Code für die Garage ist {}", lambda m: m.of("123456789", 4)),
    Form("spoken", "le code du portail est {}", lambda m: m.of("123456789", 4) + "B"),
    Form("spoken", "Mein PIN lautet {}", lambda m: m.of("123456789", 4)),
    Form("spoken", "le code PIN est {}", lambda m: m.of("123456789", 4)),
    # Kubernetes
    Form("kubernetes", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  dsn: {}\ntype: Opaque", password, base64_of),
    Form("kubernetes", "kind: Secret\napiVersion: v1\nstringData:\n  username: nora\n  smtp: {}\n", password),
    Form("kubernetes", '{"apiVersion": "v1", "data": {"uri": "{}"}, "kind": "Secret"}', generated, base64_of),
    # Newer keys
    Form("key", "{}", lambda m: "cfut_" + m.of(ALNUM, 40)),
    Form("key", "k {}", lambda m: "rnd_" + m.of(ALNUM, 28)),
    Form("key", "{}", lambda m: "phx_" + m.of(ALNUM, 43)),
    Form("key", "{}", lambda m: "sk-lf-" + m.uuid()),
    Form("key", "{}", lambda m: "AQ.Ab8R" + m.mixed(URL64, 46)),
    Form("key", "{}", lambda m: "cal_live_" + m.of(HEX, 32)),
    Form("key", "{}", lambda m: "e2b_" + m.of(HEX, 40)),
    Form("key", "{}", lambda m: "AVNS_" + m.mixed(URL64, 19)),
    Form("key", "{}", lambda m: "ory_pat_" + m.of(ALNUM, 32)),
    Form("key", "{}", lambda m: "mdb_sa_sk_" + m.mixed(URL64, 40)),
    Form("key", "{}", lambda m: "perm-" + m.of(B64, 20) + "=." + m.of(B64, 8) + "." + m.of(ALNUM, 30)),
    Form("key", "{}", lambda m: "polar_oat_" + m.of(ALNUM, 43)),
    Form("key", "{}", lambda m: "acme_api_" + m.mixed(ALNUM, 32)),
    Form("key", "{}", lambda m: "depot_org_" + m.of(HEX, 64)),
    Form("key", "FAL {}", lambda m: f"{m.uuid()}:{m.of(HEX, 32)}"),
)  # fmt: skip


AFTER = (
    # Marks that nobody sees
    Form("invisible", "I use {} for deploys", lambda m: "glrt-" + m.mixed(ALNUM, 20), inside("\u200e", 9)),
    Form("invisible", "{}", Maker.jwt, inside("\u2063", 30)),
    Form("invisible", "AWS: {}", lambda m: "AKIA" + m.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), inside("\u180e", 6)),
    Form("invisible", "clé : {}", lambda m: "hf_" + m.of(ALNUM, 34), inside("\u200b\u200d", 2)),
    Form("invisible", "api\u2060_key = {}", generated),
    Form("invisible", "das Pass\u00adwort lautet {}", password),
    Form("invisible", "npm {}", lambda m: "npm_" + m.of(ALNUM, 36), everywhere("\ufe0f")),
    Form("styled", "key {}", lambda m: "xai-" + m.of(ALNUM, 80), full_width),
    # Escapes
    Form("escape", "| CI | {} |", lambda m: "npm_" + m.of(ALNUM, 36), escaped),
    Form("escape", "Personal token: {}", lambda m: "github_pat_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 59), escaped),
    Form("escape", "{}", lambda m: "dop_v1_" + m.of(HEX, 64), escaped),
    Form("escape", "SMTP\\_PASS\\={}", password),
    Form("escape", "\\`client\\_secret\\`: {}", generated),
    Form("escape", "x {}", lambda m: "sk-ant-api03-" + m.mixed(ALNUM, 93) + "AA", escaped),
    # Percent
    Form("percent", "GET /oauth?state={}&x=1", lambda m: "glpat-" + m.mixed(ALNUM, 20), percent),
    Form("percent", "https://login.example.org/?continue=https%3A%2F%2Fnora%3A{}%40git.example.org%2F", password),
    Form("percent", "body=password%3D{}", generated),
    Form("percent", "u=https%253A%252F%252Fx.org%252F%253Faccess_token%253D{}", generated),
    Form("percent", "pw=%22{}%22", password),
    Form("percent", "t={}", lambda m: "xoxp-" + m.of("123456789", 12) + "-" + m.of(HEX, 32), percent_all),
    # Lines
    Form("line", "Here is the key:\n\n    {}\n\nThanks", lambda m: "sk-ant-api03-" + m.mixed(ALNUM, 93) + "AA", in_lines("\n    ", 48)),
    Form("line", "TOKEN={}", lambda m: "github_pat_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 59), in_lines("\\\n", 40)),
    Form("line", "Content: {}", Maker.jwt, in_lines("=\r\n", 70)),
    Form("line", "{}", lambda m: "AKIA" + m.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), in_lines("<wbr>", 7)),
    Form("line", "> key\n> {}\n> ok", lambda m: "hf_" + m.mixed(ALNUM, 34), in_lines("\n> ", 22)),
    Form("line", "# token:\n# {}\n# end", lambda m: "xoxb-" + m.of("123456789", 12) + "-" + m.mixed(ALNUM, 40), in_lines("\n# ", 36)),
    Form("line", "password:\n  {}", password),
    Form("line", "Passwort:<br>{}", password),
    Form("entity", "db&#45;password&#58; {}", password),
    Form("json escape", '{"env": "API\\u005fKEY\\u003d{}"}', generated),
    # JSON Web Keys
    Form("jwk", '{\\"kty\\":\\"EC\\",\\"d\\":\\"{}\\"}', lambda m: m.mixed(URL64, 43)),
    Form("jwk", "{'kty': 'RSA', 'qi': '{}', 'n': 'x'}", lambda m: m.mixed(URL64, 86)),
    Form("jwk", '{"keys":[{"use":"sig","kty":"RSA","kid":"1","dp":"{}"}]}', lambda m: m.mixed(URL64, 86)),
    Form("jwk", '{ "alg":"HS512","kty":"oct", "k" : "{}" }', lambda m: m.mixed(URL64, 86)),
    # Logins without a scheme
    Form("login", "pip install git+gitlab-ci-token:{}@gitlab.example.org/x.git", generated),
    Form("login", "origin  oauth2:{}@git.example.org:studio/plans.git (fetch)", gitlab),
    Form("login", "smtp relay: mailer:{}@smtp.example.org:587", password),
    Form("login", "root:{}@localhost", password),
    Form("login", "DSN is app:{}@pg.example.org/prod", generated),
    Form("login", "//nora:{}@registry.example.org/", password),
    Form("login", "nora:{}@10.0.0.12:5432", password),
    # Names
    Form("name", "GITHUB_PAT: {}", generated),
    Form("name", "set NPM_PAT={}", generated),
    Form("name", "paypal_sk: '{}'", generated),
    Form("name", '$env:API_PW = "{}"', password),
    Form("name", "AWS_CREDS={}", lambda m: f"AKIDX:{m.mixed(ALNUM, 40)}"),
    Form("name", "redis_auth={}", generated),
    Form("name", "dbPwd={}", password),
    Form("name", "ADMIN_PASSWD={}", password),
    Form("name", "ENV API_BEARER={}", generated),
    Form("name", "django SECRET_KEY = 'django-insecure-{}'", lambda m: m.mixed(ALNUM + "!@#$%^&*(-_=+)", 50)),
    Form("name", "mapbox.accessToken = '{}'", generated),
    Form("name", '<property name="password" value="{}"/>', password),
    Form("name", "spring.datasource.password={}", password),
    Form("name", "--set auth.rootPassword={}", password),
    Form("name", "TWILIO_AUTH={}", lambda m: m.of(HEX, 32)),
    Form("name", "HMAC_KEY={}", lambda m: m.of(HEX, 64)),
    Form("name", "SESSION_COOKIE={}", generated),
    Form("name", "Kennwort = {}", password),
    Form("name", "contraseña={}", password),
    Form("name", '"mot_de_passe": "{}"', password),
    Form("name", "WIFI_KEY={}", lambda m: m.mixed(ALNUM, 16)),
    Form("name", "OTP_SECRET={}", lambda m: m.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)),
    Form("name", "private_key_pass={}", password),
    Form("name", "X-Vault-Token: {}", lambda m: "s." + m.mixed(ALNUM, 24)),
    Form("name", "{ user: 'nora', pass: '{}' }", password),
    Form("name", "Recovery codes:\n{}", lambda m: f"{m.of(HEX, 4)}1-{m.of(HEX, 4)}7"),
    # Hashes of passwords
    Form("hash", "admin:{}", lambda m: f"$2y$10${m.of(CRYPT, 53)}"),
    Form("hash", "{}:1001", lambda m: f"$5$rounds=5000${m.of(CRYPT, 16)}${m.of(CRYPT, 43)}"),
    Form("hash", "nora:{}", lambda m: f"$1${m.of(CRYPT, 8)}${m.of(CRYPT, 22)}"),
    Form("hash", "password_hash = '{}'", lambda m: f"$argon2i$v=19$m=4096,t=3,p=1${m.of(B64, 22)}${m.of(B64, 43)}"),
    Form("hash", "{}", lambda m: f"scrypt:32768:8:1${m.of(ALNUM, 16)}${m.of(HEX, 128)}"),
    Form("hash", "| nora | {} |", lambda m: f"pbkdf2:sha256:260000${m.of(ALNUM, 16)}${m.of(HEX, 64)}"),
    Form("hash", "userPassword: {}", lambda m: "{SHA512}" + m.of(B64, 86) + "=="),
    Form("hash", "INSERT INTO users VALUES (1, '{}')", lambda m: f"$2a$12${m.of(CRYPT, 53)}"),
    Form("hash", "IDENTIFIED BY PASSWORD '{}'", lambda m: "*" + m.of("0123456789ABCDEF", 40)),
    Form("hash", "enable secret 9 {}", lambda m: f"$9${m.of(CRYPT, 14)}${m.of(CRYPT, 43)}"),
    Form("hash", "Administrator:500:{}:::", lambda m: f"{m.of(HEX, 32)}:{m.of(HEX, 32)}"),
    # Keys in blocks
    Form("pem", "-----BEGIN RSA PRIVATE KEY-----\n{}\n\nThat is all I have. Thanks!", body),
    Form("pem", "-----BEGIN PRIVATE KEY-----<br />{}<br />-----END PRIVATE KEY-----", body, lambda s: s.replace("\n", "<br />")),
    Form("pem", 'key = "-----BEGIN PRIVATE KEY-----\\n{}', body, lambda s: s.replace("\n", "\\n")),
    Form("pem", "  1 | -----BEGIN EC PRIVATE KEY-----\n  2 | {}", lambda m: m.of(B64, 64)),
    Form("pem", "-----BEGIN DSA PRIVATE KEY----- {}", body, lambda s: s.replace("\n", " ")),
    Form("pem", "key: |\n    -----BEGIN OPENSSH PRIVATE KEY-----\n    {}", body, lambda s: s.replace("\n", "\n    ")),
    Form("pem", "\\-----BEGIN PRIVATE KEY-----\n{}", body),
    Form("pem", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{}", body),
    # Links
    Form("link", "https://example.org/auth/reset?uid=12&sig={}", generated),
    Form("link", "Passwort zurücksetzen: https://example.org/passwort/neu/{}", lambda m: m.mixed(ALNUM, 32)),
    Form("link", "https://example.org/verify-email/{}?utm=mail", lambda m: m.mixed(URL64, 40)),
    Form("link", "https://id.example.org/login?magic={}", generated),
    Form("link", "<https://example.org/invite/{}>", lambda m: m.mixed(ALNUM, 24)),
    Form("link", "https://example.org/set-password#token={}", Maker.jwt),
    Form("link", "https://example.org/activate?k={}", lambda m: m.of(HEX, 32)),
    Form("link", "https://example.org/confirm/{}", Maker.uuid),
    Form("link", "https://example.org/sso?ticket=ST-12-{}-cas", lambda m: m.mixed(ALNUM, 24)),
    Form("link", "[reset](https://example.org/forgot/{} 'reset')", generated),
    # Spoken
    Form("spoken", "Das Passwort fürs Gäste-WLAN heißt {}", password),
    Form("spoken", "Kennwort vom NAS war {}, bitte ändern", password),
    Form("spoken", "la password del router è {}, non dirla", password),
    Form("spoken", "Wi-Fi 密码为 {}", password),
    Form("spoken", "密碼是「{}」", password),
    Form("spoken", "mon mot de passe c'est {}", password),
    Form("spoken", "la clave del wifi es {}", password),
    Form("spoken", "minha senha agora é {}", password),
    Form("spoken", "het wifi-wachtwoord is nu {}", password),
    Form("spoken", "Wi-FiのパスワードはX{}です。", password),
    Form("spoken", "와이파이 비밀번호는 {}이에요", password),
    Form("spoken", "пароль: {}", password),
    Form("spoken", "lösenordet till wifi är {}", password),
    Form("spoken", "wifi şifresi: {}", password),
    Form("spoken", "{} ist das WLAN-Passwort", password),
    Form("spoken", "You can use the password {} for the demo.", password),
    Form("spoken", "the wifi is BoatHouse, password {}", password),
    Form("spoken", "my passphrase is “{}”", password),
    Form("spoken", "Der Türcode ist {}", lambda m: m.of("123456789", 4)),
    Form("spoken", "El PIN es {}", lambda m: m.of("123456789", 4)),
    Form("spoken", "il PIN della carta è {}", lambda m: m.of("123456789", 5)),
    Form("spoken", "alarm code: {}", lambda m: m.of("123456789", 6)),
    Form("spoken", "{} is your verification code", lambda m: m.of("123456789", 6)),
    Form("spoken", "the gate code for the marina is {}#", lambda m: m.of("123456789", 4)),
    # Kubernetes
    Form("kubernetes", "kind: Secret\ntype: kubernetes.io/tls\ndata:\n  tls.crt: abcd\n  tls.key: {}\n", generated, base64_of),
    Form("kubernetes", "apiVersion: v1\nstringData:\n    config.yaml: |\n        url: x\n        level: {}\nkind: Secret\n", password),
    Form("kubernetes", '{\n  "kind": "Secret",\n  "data": {\n    "a": "eA==",\n    "b": "{}"\n  }\n}', password, base64_of),
    Form("kubernetes", "---\nkind: ConfigMap\ndata:\n  a: b\n---\nkind: Secret\ndata:\n  x: {}\n", password, base64_of),
    # Newer keys
    Form("key", "{}", lambda m: "cfat_" + m.of(ALNUM, 40)),
    Form("key", "{}", lambda m: "sk-svcacct-" + m.mixed(URL64, 74)),
    Form("key", "{}", lambda m: "sk-ant-oat01-" + m.mixed(URL64, 90)),
    Form("key", "{}", lambda m: "sb_secret_" + m.mixed(URL64, 31)),
    Form("key", "{}", lambda m: "vcp_" + m.of(ALNUM, 56)),
    Form("key", "{}", lambda m: "napi_" + m.of(LOWER, 64)),
    Form("key", "{}", lambda m: "sk_car_" + m.mixed(ALNUM, 22)),
    Form("key", "{}", lambda m: "pat_" + m.mixed(ALNUM, 40)),
    Form("key", "{}", lambda m: "studio_live_sk_" + m.mixed(ALNUM, 32)),
    Form("key", "{}", lambda m: "unkey_" + m.mixed(ALNUM, 24)),
    Form("key", "{}", lambda m: "ghs_" + m.of(ALNUM, 36)),
    Form("key", "{}", lambda m: "tr_prod_" + m.mixed(ALNUM, 20)),
    Form("key", "{}", lambda m: "pdl_live_apikey_" + m.of(LOWER, 26) + "_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 3)),
    Form("key", "{}", lambda m: "sntrys_" + m.mixed(ALNUM, 60)),
    Form("key", "{}", lambda m: "nbp_" + m.of(ALNUM, 36)),
)  # fmt: skip


def written(seed: int, forms: tuple[Form, ...], each: int = 3) -> Iterator[Written]:
    """The texts of some forms, each a few times with other secrets."""
    maker = Maker(seed)
    for form in forms:
        for _ in range(each):
            secret = form.make(maker)
            yield Written(form.kind, form.text.replace("{}", form.written(secret)), secret)


def _plain(text: str) -> str:
    """A text as somebody could read it who wants the secret: without wrapping of any kind."""
    text = urllib.parse.unquote(urllib.parse.unquote(html.unescape(text)))
    text = text.replace("\\u005f", "_").replace("<br/>", "").replace("<br>", "").replace("=\n", "")
    text = unicodedata.normalize("NFKC", "".join(c for c in text if unicodedata.category(c) != "Cf"))
    return re.sub(r"[\s\\>+]", "", text)


def survives(sample: Written, text: str) -> bool:
    """True when the secret, eight characters of its body or its Base64 can still be read in a text."""
    read = _plain(text)
    for secret in (_plain(sample.secret), base64_of(sample.secret)):
        tail = secret[len(secret) // 3 :]
        parts = [tail[at : at + 8] for at in range(len(tail) - 7)]
        if (secret in read and secret) or any(part in read for part in parts):
            return True
    return False
