"""Lines that hold no secret and look as if they might: output of tools, code, digests, lock files, prose, placeholders. Values are drawn from a seed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from secretset import ALNUM, B64, HEX, LOWER, Maker

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
# What a `<name>` in a line below becomes.
_VALUES = {
    "sha": lambda m: m.of(HEX, 40), "short": lambda m: m.of(HEX, 7), "sha256": lambda m: m.of(HEX, 64), "md5": lambda m: m.of(HEX, 32),
    "zw": lambda _: "\u200b", "shy": lambda _: "\u00ad", "uuid": Maker.uuid, "n": lambda m: str(m.random.randint(2, 400)), "s": lambda m: f"{m.random.random() * 9:.2f}", "w": Maker.word,
    "W": lambda m: m.word().capitalize(), "b64": lambda m: m.of(B64, 86) + "==", "b43": lambda m: m.of(B64, 43) + "=", "id": lambda m: m.of(LOWER, 12),
    "go": lambda m: f"Test{m.word().capitalize()}{m.random.choice(('', 'V2', '_Empty', '/case_1', '/with#01', 'HTTP2', 'UTF8/invalid_byte'))}",
    "ver": lambda m: f"{m.random.randint(0, 9)}.{m.random.randint(0, 30)}.{m.random.randint(0, 9)}", "day": lambda m: f"2026-0{m.random.randint(1, 9)}-1{m.random.randint(0, 9)}",
    "mix": lambda m: m.of(ALNUM, 24), "port": lambda m: str(m.random.randint(1024, 65000)), "sig": lambda m: m.of(_UPPER, 16),
}  # fmt: skip

LINES = r"""
--- PASS: <go> (<s>s)
    --- PASS: <go> (<s>s)
--- FAIL: <go> (<s>s)
=== RUN   <go>
PASS
ok  	example.org/studio/<w>	<s>s	coverage: 81.3% of statements
PASS: tests/<w>-<n>.sh
PASS: test_<w>_<n>
PASS <w>/<w>.test.ts (<s> s)
[PASS] <w> <w> works (<n>ms)
[  PASSED  ] <n> tests.
pass <n>
# pass  <n>
✓ <w> passes with token <n> (<n> ms)
tests/<w>/test_<w>.py::test_password_<w> PASSED                 [ <n>%]
tests/test_auth.py::TestLogin::test_token_expired[<w>-<n>] PASSED
FAILED tests/test_secrets.py::test_key_rotation - AssertionError: assert 'v2' == 'v<n>'
test auth::token::tests::parses_v2_key ... ok
test result: ok. <n> passed; 0 failed; 0 ignored; finished in <s>s
   Compiling secrecy v<ver>
   Compiling keyring v<ver> (/home/nora/<w>)
added <n> packages, and audited <n> packages in <n>s
npm warn deprecated har-validator@<ver>: this library is no longer supported
      "integrity": "sha512-<b64>",
      "resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-<ver>.tgz",
    "node_modules/path-key": {
checksum = "<sha256>"
source = "registry+https://github.com/rust-lang/crates.io-index"
    --hash=sha256:<sha256> \
golang.org/x/crypto v<ver> h1:<b43>
golang.org/x/oauth2 v0.0.0-20240101120000-<short>abcde/go.mod h1:<b43>
    sha256: <sha256>
{file = "cryptography-<ver>.tar.gz", hash = "sha256:<sha256>"},
commit <sha>
<short> Fix the password reset page (#<n>)
<short> Rotate keys: <w> and <w>
Merge: <short> <short>
index <short>..<short> 100644
Author: Nora Lind <nora@example.org>
 src/auth/token_<w>.py | <n> +++++-----
diff --git a/pass/<w>.go b/pass/<w>.go
@@ -<n>,7 +<n>,9 @@ def check_password(raw: str) -> bool:
https://github.com/nora/auth/commit/<sha>
https://github.com/nora/login/blob/<sha>/src/token.py#L<n>
https://gitlab.example.org/studio/keys/-/merge_requests/<n>
https://pkg.go.dev/golang.org/x/oauth2@v0.0.0-20240101-<short>abcde/google
https://example.org/docs/password-reset/how-to-reset-your-password
https://example.org/login?next=/notes/<id>
https://example.org/auth/callback?state=<w>
https://login.microsoftonline.com/<uuid>/oauth2/v2.0/authorize?client_id=<uuid>
https://docs.example.org/auth/tokens#access-tokens-v<n>
https://example.org/assets/login-<md5>.js
https://cdn.example.org/reset.<short>.css
https://www.youtube.com/watch?v=<id>&t=<n>s
https://docs.google.com/document/d/<mix>/edit
https://example.org/verify
https://example.org/invite?ref=newsletter-<n>
docker pull ghcr.io/studio/auth@sha256:<sha256>
image: registry.example.org/<w>:<ver>@sha256:<sha256>
sha256:<sha256>  keys-<ver>.tar.gz
<md5>  passwords.md
MD5 (<w>.iso) = <md5>
ETag: "<md5>"
x-request-id: <uuid>
X-Amzn-Trace-Id: Root=1-<short>0-<id>
request_id=<uuid> user_id=<n> status=401 msg="token expired"
level=info msg="key rotated" key_id=<uuid> took=<n>ms
session=<uuid> turn=<n>
trace_id=<md5> span_id=<short>abcdefabc
{"id": "<uuid>", "type": "token", "count": <n>}
{"kid": "<uuid>", "kty": "RSA", "alg": "RS256", "use": "sig", "e": "AQAB", "n": "<mix><mix>"}
{"role": "assistant", "tool_call_id": "call_<mix>", "name": "read_file"}
{"usage": {"input_tokens": <n>, "output_tokens": <n>, "cache_read_input_tokens": <n>}}
msg_01<mix>
toolu_01<mix>
chatcmpl-<mix>
resp_<md5>
cus_<id>AB price_1<mix>
password: <password>
password: ${DB_PASSWORD}
PASSWORD=<your-password-here>
token: ${{ secrets.GITHUB_TOKEN }}
token = "xxxxxxxxxxxxxxxxxxxx"
API_KEY=********************
api_key: "YOUR_API_KEY"
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${ACCESS_TOKEN}
curl -u user:password https://example.org
curl -u "$USER:$PASS" https://example.org/v1
postgres://user:password@localhost:5432/<w>
postgres://${DB_USER}:${DB_PASSWORD}@db:5432/<w>
mysql://user:<password>@host/db
https://user:pass@example.org/
git clone git@github.com:nora/<w>.git
mailto:nora92@example.org
contact:nora1@example.org
To:nora92@example.org
npm:react@<ver>
workspace:auth@<ver>
xmpp:nora77@jabber.example.org
secretKeyRef: {name: db-<w>, key: password}
        key: db-password
          secretName: tls-<w>-v<n>
kind: ConfigMap
kind: SealedSecret
The password policy changed on <day>.
the password policy asks for <n> characters
The password must be at least 12-character long and <w>.
The password is SHA-256 hashed with a salt.
the password is stored as a bcrypt hash
the password is wrong!!
The password is expired since <day>
das Passwort ist falsch!
das Passwort lautet wie folgt:
Das Passwort ist 12-stellig und läuft am <day> ab.
la password è sbagliata
la password è troppo corta: minimo <n> caratteri
le mot de passe est trop court, il faut <n> caractères
la contraseña es incorrecta
a senha é muito curta
密码是错的
密码是加密的，用AES256
密码是必填项
パスワードは8文字以上です
パスワードは必須です
비밀번호는 8자 이상입니다
пароль — это строка из <n> символов
hasło to sekret
het wachtwoord is verlopen
lösenordet är för kort
mot de passe oublié ?
Passwort vergessen?
I forgot the password of the <w> account <n> days ago.
Please change your password before <day>.
Nora passed <n> tests and failed 2.
He passed the key to <W> on <day>.
The secret of good bread is <n> hours of rest.
token bucket with <n> tokens a second
The key idea: <w> first, then <w>.
My pin board has <n> notes.
The PIN has 4 digits.
exit code: <n>
status code is 404
HTTP code: 200
the zip code is 94107
the error code is 1045
country code: 0049
promo code: <W><n>
area code is 0351
opcode: 0x<short>
error[E0<n>]: mismatched types
the access code path is covered by <n> tests
verification code was sent to nora@example.org
security code review on <day>
const token = await getToken(<w>);
const password = req.body.password;
let secret = config.get("<w>.secret");
password := os.Getenv("DB_PASSWORD")
token := r.Header.Get("Authorization")
if err := bcrypt.CompareHashAndPassword(hash, []byte(pw)); err != nil {
    password: str = Field(..., min_length=<n>)
    token: Token | None = None
    def keys(self) -> typing.KeysView[str]:
        key = self._keys[<n>]
    self._password = parsed.password
    username, password = split
    key: typing.Optional[_ALLOWED_TYPES],
    pass_fds=(read_fd, write_fd),
    if pass_arg is _PassArg.context:
    pass  # nothing to do in v<n>
    password: creds.password,
    secretOrKey: configService.secretOrKey,
    passphrase: this.options?.passphrase,
String password = System.getenv("PASSWORD");
private String accessToken;
var apiKey = Environment.GetEnvironmentVariable("API_KEY");
public record LoginRequest(string User, string Password);
fn verify(token: &str, key: &PublicKey) -> Result<Claims, Error> {
let api_key = std::env::var("API_KEY")?;
def test_nep<n>_functions_as_array_functions(self):
func TestParseTokenV2(t *testing.T) {
export type Secret = Uint8Array | CryptoKey | KeyObject;
<input type="password" name="password" id="pw<n>" autocomplete="current-password">
<label for="password">Password</label>
input[type=password] { width: <n>px; }
CREATE TABLE tokens (id uuid PRIMARY KEY, token_hash bytea NOT NULL);
SELECT password_hash FROM users WHERE id = <n>;
ALTER TABLE keys ADD CONSTRAINT keys_pkey PRIMARY KEY (id);
PRIMARY KEY (<w>_id, <w>_id)
| key | value |
| token | <n> |
| Passed | <n> | <n> % |
- [ ] rotate the API key (<day>)
- [x] change the wifi password
- keys: <w>, <w>, <w>
# Password reset
## Tokens and keys
seed=<n>
Using --randomly-seed=<n>123
random seed: <n>4711
salt: enabled
SALT_ROUNDS=12
pattern_pat = re.compile(r"^a{3}(b|c)*$")
sk = StandardScaler().fit(X)
lang=sk
sid=<n>
otp: required
JWT_EXPIRES_IN=3600s
JWT_ALGORITHM=RS256
TOKEN_TTL=86400
PASSWORD_MIN_LENGTH=12
COOKIE_NAME=session_v2
AUTH_URL=https://auth.example.org/realms/<w>
SECRET_NAME=prod/<w>/db-v<n>
SSH_KEY_PATH=~/.ssh/id_ed25519
DSN=file:<w>.db
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<b43> nora@laptop
SHA256:<b43> nora@laptop (ED25519)
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
"-----BEGIN PRIVATE KEY-----"
if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):
data:image/png;base64,iVBORw0KGgo<mix><mix>
    at Object.<anonymous> (/home/nora/<w>/auth.js:<n>:<n>)
  File "/home/nora/<w>/token.py", line <n>, in refresh_token
Traceback: KeyError: 'password_<n>'
KeyError: 'api_key'
error: invalid token at line <n>
warning: unused variable: `key<n>`
2026-11-25T10:15:30.123Z INFO auth login ok user=nora ip=192.168.1.<n> took=<n>ms
Nov 25 10:15:30 host sshd[<n>]: Accepted publickey for nora from 10.0.0.<n> port <port> ssh2: ED25519 SHA256:<b43>
Nov 25 10:15:30 host sshd[<n>]: Failed password for invalid user admin from 10.0.0.<n> port <port> ssh2
listening on 127.0.0.1:<port>
redis-cli -p <port> ping
docker run -p 8080:80 -w /app <w>:<ver>
docker compose -p <w><n> up
git log -p --author=nora
pip install pyjwt==<ver> passlib==<ver>
brew install pass keychain
pass show email/nora
gpg: key <sig>: public key "Nora <nora@example.org>" imported
pub   rsa4096 <day> [SC]
      <sha>
The meeting ID is 831 2345 6789.
call +49 351 <n>55 01
order <n>-4711, room <n>
ISBN 978-3-16-148410-0
C:\Users\nora\AppData\Roaming\keys\_<w>.txt
\*\*not bold\*\* and snake\_case\_name and 100\% sure
100%25 done, a%20b%20c, caf%C3%A9
first&nbsp;line<br>second line<br/>third v<n>
Fix \_auth\_token handling in v<ver>
R&amp;D &lt;password&gt; &quot;quoted&quot;
zero<zw>width in pro<zw>se and soft<shy>hyphen in pass<shy>word policy
""".strip("\n").split("\n")  # fmt: skip


def lines(seed: int, each: int) -> Iterator[str]:
    """Every line above, each with other values a few times."""
    maker = Maker(seed)
    for line in LINES:
        for _ in range(each):
            yield re.sub(
                r"<(\w+)>", lambda hit: _VALUES[hit[1]](maker) if hit[1] in _VALUES else hit[0], line
            )
