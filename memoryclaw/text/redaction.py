"""Replaces secrets in a text by `[REDACTED:kind:fingerprint]`; the key of the fingerprints is passed in.

A secret is replaced whole or not at all, and a mark is never redacted again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from memoryclaw.text.encoding import json_value
from memoryclaw.text.secret_names import SecretSpan as _Span
from memoryclaw.text.secret_names import is_sample, lower, named_secrets, value_of
from memoryclaw.text.secret_places import placed_secrets, secret_members
from memoryclaw.text.wrapping import join_lines, unwrap

# Secrets known by their form; each row is the published form of one issuer's key.


class SecretRule(NamedTuple):
    """One form: the kind it is reported as, words of which a match holds at least one, and the pattern (group 1, or all of it)."""

    kind: str
    near: tuple[str, ...]
    pattern: str


_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# A run of Base64 in a key, never a word of a sentence behind a key without an end.
_PEM_RUN = r"(?=[A-Za-z]{0,200}(?:[0-9+/=]|(?-i:[a-z][A-Z]|[A-Z]{4})))[A-Za-z0-9+/=]++"
_KEY_NAMES = r"[A-Z0-9][A-Z0-9 ]{0,30}"


def _rows(*rows: tuple[str, str, str]) -> tuple[SecretRule, ...]:
    return tuple(SecretRule(kind, tuple(near.split()), pattern) for kind, near, pattern in rows)


# A token's pattern matches only without a letter or digit before it, which `lazy_pattern` adds. It has no right end:
# a token longer than its form is taken whole rather than in part.
CLOUDS = _rows(
    ("aws-key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    ("aws-key", "absk", r"ABSK[A-Za-z0-9+/]{40,}={0,2}"),
    ("google-key", "aiza", r"AIza[\w-]{35,}"),
    ("google-token", "ya29.", r"ya29\.[\w.-]{20,}"),
    ("google-token", "gocspx-", r"GOCSPX-[\w-]{20,}"),
    ("google-token", "1//0", r"1//0[\w-]{30,}"),
    ("azure-secret", "q~", r"[\w.~-]{3}\dQ~[\w.~-]{30,}"),
    ("azure-key", "+ast acdb azca azse azfu azem asbs aeh +acr", r"[A-Za-z0-9+/]{20,80}(?:\+ASt|ACDb|AzCa|AzSe|AzFu|AzEM|ASbS|\+?AEh|\+ACR)[A-Za-z0-9+/]{4,8}={0,2}(?![\w/+])"),
    ("azure-token", "azdo", r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}"),
    ("alibaba-key", "ltai", r"LTAI[A-Za-z0-9]{12,}"),
    ("tencent-key", "akid", r"AKID(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{28,}"),
    ("yandex-key", "aqvn", r"AQVN[\w-]{34,}"),
    ("yandex-token", "y0_", r"y0_[\w-]{40,}"),
    ("yandex-token", "t1.", r"t1\.[\w-]{20,}=*\.[\w-]{40,}=*"),
    ("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64,}"),
    ("cloudflare-key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    ("fly-token", "fm1 fm2 fo1_", r"(?:fm[12][ar]?|fo1)_[\w+/=,-]{40,}"),
    ("heroku-key", "hrku-", r"HRKU-[\w-]{30,}"),
    ("netlify-token", "nfp_ nfc_ nfo_", r"nf[pco]_[A-Za-z0-9]{32,}"),
    ("vercel-token", "vercel_ vcp_ vci_ vca_ vcr_ vck_", r"(?:vercel_blob_rw_\w{10,}|vc[piark]_[A-Za-z0-9]{24,})"),
    ("supabase-key", "sbp_ sb_secret_", r"(?:sbp_(?:v\d+_)?[a-f0-9]{40,}|sb_secret_[\w-]{20,})"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth|api)_[\w.=-]{30,}"),
    ("neon-key", "napi_", r"napi_[a-z0-9]{40,}"),
    ("databricks-token", "dapi", r"dapi[a-f0-9]{32,}(?:-\d)?"),
    ("doppler-token", "dp.", r"dp\.(?:pt|st|sa|ct|scim|audit)\.[\w.-]{38,}"),
    ("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}"),
    ("pulumi-token", "pul-", r"pul-[a-f0-9]{40,}"),
    ("1password-key", "a3-", r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,6}"),
    ("1password-token", "ops_eyj", r"ops_eyJ[A-Za-z0-9+/]{100,}={0,3}"),
    ("tailscale-key", "tskey-", r"tskey-[a-z]+-[\w-]{10,}"),
    ("scaleway-key", "scw", r"SCW[A-Z0-9]{17}(?![A-Za-z0-9])"),
    ("confluent-secret", "cflt", r"cflt[A-Za-z0-9+/]{60}"),
    ("openshift-token", "sha256~", r"sha256~[\w-]{43}"),
    ("cloudflare-token", "cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_[A-Za-z0-9]{30,}"),
    ("google-key", "aq.ab", r"AQ\.Ab[\w-]{40,}"),
    ("aws-key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}"),
    ("databricks-token", "dkea dose dsap", r"(?:dkea|dose|dsap)[a-f0-9]{32}(?![a-f0-9])"),
    ("render-key", "rnd_", r"rnd_[A-Za-z0-9]{24,}"),
    ("aiven-password", "avns_", r"AVNS_[\w-]{15,}"),
    ("mongodb-secret", "mdb_sa_sk_", r"mdb_sa_sk_[\w-]{30,}"),
    ("xata-key", "xau_", r"xau_[A-Za-z0-9]{30,}"),
    ("turso-token", "tursodb_", r"tursodb_[\w-]{20,}"),
    ("scalingo-token", "tk-us-", r"tk-us-[\w-]{40,}"),
    ("hashicorp-token", "hcp.", r"hcp\.[\w-]{40,}"),
    ("infisical-token", "st.", rf"st\.{_UUID}\.[a-f0-9]{{30,}}\.[a-f0-9]{{30,}}"),
    ("bitwarden-token", "0.", rf"0\.{_UUID}\.[A-Za-z0-9]{{25,40}}:[A-Za-z0-9+/]{{20,}}={{0,2}}"),
    ("netbird-token", "nbp_", r"nbp_[A-Za-z0-9]{30,}"),
    ("volcengine-key", "aklt", r"AKLT[A-Za-z0-9_-]{30,}={0,2}"),
    ("baidu-key", "bce-v3/", r"bce-v3/ALTAK-[A-Za-z0-9]{15,}/[a-f0-9]{30,}"),
    ("memoryclaw-token", "mclaw_", r"mclaw_[\w-]{43}"),
)  # fmt: skip

WORKSHOPS = _rows(
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{36,}"),
    ("github-token", "github_pat_", r"github_pat_\w{50,}"),
    ("gitlab-token", "gl", r"gl(?:pat|ptt|dt|rtr?|cbt|ft|oas|soat|imt|agent|ffct|wt)-[\w-]{20,}(?:\.[\w.]{5,})?"),
    ("gitlab-token", "gr1348941", r"GR1348941[\w-]{20,}"),
    ("gitlab-session", "_gitlab_session=", r"_gitlab_session=([0-9a-f]{32,})"),
    ("bitbucket-token", "atbb", r"ATBB[A-Za-z0-9=_-]{24,}"),
    ("atlassian-token", "atatt3 atctt3", r"AT[AC]TT3[\w=-]{60,}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36,}"),
    ("pypi-token", "pypi-", r"pypi-(?:AgE|AgN)[\w-]{40,}"),
    ("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48,}"),
    ("crates-token", "cio", r"cio(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("clojars-token", "clojars_", r"(?i:CLOJARS_[a-z0-9]{60,})"),
    ("docker-token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{20,}"),
    ("artifactory-key", "akcp cmvmd", r"(?:AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{50,})"),
    ("circleci-token", "ccipat_ cciprj_", r"CCIP(?:AT|RJ)_\w{20,}"),
    ("buildkite-token", "bkua_ bkaj_ bkct_", r"bk(?:ua|aj|ct)_[\w-]{32,}"),
    ("sonar-token", "squ_ sqp_ sqa_", r"sq[upa]_[a-f0-9]{40,}"),
    ("sourcegraph-token", "sgp_ slk_", r"(?:sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40,}|slk_[a-f0-9]{64})"),
    ("sentry-token", "sntry", r"sntry[sup]_[\w+/=-]{40,}"),
    ("harness-token", "pat. sat.", r"[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    ("postman-key", "pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("prefect-key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36,}"),
    ("grafana-token", "glc_ glsa_", r"(?:glc_[\w+/=-]{32,}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    ("grafana-key", "eyjrijoi", r"eyJrIjoi[\w+/=-]{40,}"),
    ("newrelic-key", "nrak- nrjs- nrii- nraa- nrra- nral", r"(?:NR(?:AK|JS|II|AA|RA)-[\w-]{19,}|[a-f0-9]{36}NRAL)"),
    ("dynatrace-token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("honeycomb-key", "hca hcx hcb", r"hc[axb][il][kc]_[a-z0-9]{58,}"),
    ("launchdarkly-key", "sdk- api- mob-", rf"(?:sdk|api|mob)-{_UUID}"),
    ("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("notion-token", "ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]))"),
    ("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("figma-token", "figd_ figo_ figu_ figr_", r"fig[dour]h?_[\w-]{30,}"),
    ("asana-token", "/", r"[12]/\d{10,}(?:/\d+)?:[a-f0-9]{32}"),
    ("clickup-token", "pk_", r"pk_\d{5,}_[A-Z0-9]{32}"),
    ("typeform-token", "tfp_", r"tfp_[\w.=-]{40,}"),
    ("intercom-token", "dg9ro", r"dG9rO[\w=]{40,}"),
    ("hubspot-token", "pat-na pat-eu", rf"pat-(?:na|eu)\d-{_UUID}"),
    ("contentful-token", "cfpat-", r"CFPAT-[\w-]{40,}"),
    ("frameio-token", "fio-u-", r"fio-u-[\w=-]{60,}"),
    ("dropbox-token", "sl.", r"sl\.(?:u\.)?[\w-]{60,}"),
    ("readme-key", "rdme_", r"rdme_[a-z0-9]{60,}"),
    ("mapbox-token", "sk.eyj tk.eyj", r"[st]k\.eyJ[\w-]{20,}\.[\w-]{20,}"),
    ("apify-token", "apify_", r"apify_(?:api|proxy)_[A-Za-z0-9]{30,}"),
    ("adafruit-key", "aio_", r"aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])"),
    ("adobe-secret", "p8e-", r"p8e-[A-Za-z0-9_-]{30,}"),
    ("shopify-token", "shp", r"shp(?:at|ca|pa|ss|ua|tka|rt)_[A-Za-z0-9_]{32,}"),
    ("trello-token", "atta", r"ATTA[a-fA-F0-9]{60,}"),
    ("jetbrains-token", "perm- perm:", r"perm[-:][A-Za-z0-9+/=]{8,}\.[A-Za-z0-9+/=]{2,}\.[A-Za-z0-9+/=]{20,}"),
    ("cargo-token", "crates_io_", r"crates_io_[A-Za-z0-9]{30,}"),
    ("posthog-key", "phx_ phs_", r"ph[xs]_[A-Za-z0-9]{30,}"),
    ("ory-token", "ory_", r"ory_(?:pat|at|rt|ac|st|wak)_[\w.-]{24,}"),
    ("polar-token", "polar_", r"polar_(?:oat|pat|at|rt|cs|whs)_[A-Za-z0-9_]{24,}"),
    ("snyk-token", "snyk_", r"snyk_(?:uat|sat)\.[\w.-]{20,}"),
    ("socket-token", "sktsec_", r"sktsec_[\w-]{20,}"),
    ("semgrep-token", "sgp_ semgrep_", r"semgrep_[\w-]{30,}"),
    ("codeberg-token", "gitea_ forgejo_", r"(?:gitea|forgejo)_[a-f0-9]{40}"),
    ("depot-token", "depot_", r"depot_(?:org|project|user)_[a-f0-9]{40,}"),
    ("trigger-key", "tr_", r"tr_(?:dev|prod|stg|preview|pat)_[A-Za-z0-9]{16,}"),
    ("inngest-key", "signkey-", r"signkey-(?:prod|test|branch)-[a-f0-9]{30,}"),
    ("cal-key", "cal_", r"cal_(?:live_)?[a-f0-9]{32}(?![a-f0-9])"),
    ("n8n-key", "n8n_api_", r"n8n_api_[A-Za-z0-9]{30,}"),
    ("coda-zapier-key", "sk-ak-", r"sk-ak-[\w-]{20,}"),
    ("wandb-key", "wandb_v1_", r"wandb_v1_\w{40,}"),
)  # fmt: skip

MESSENGERS_AND_MONEY = _rows(
    ("slack-token", "xox", r"xox[abceoprs](?:\.xox[bp])?-[\w-]{10,}"),
    ("slack-token", "xapp-", r"xapp-\d-[\w-]{20,}"),
    ("slack-webhook", "hooks.slack", r"hooks\.slack(?:-gov)?\.com/((?:services|workflows|triggers)/[\w/+-]{20,})"),
    ("discord-token", ".", r"[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,}"),
    ("discord-webhook", "api/webhooks/", r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,}/([\w-]{40,})"),
    ("telegram-token", ":a", r"\d{8,10}:A[\w-]{34}(?![\w-])"),
    ("teams-webhook", "webhook.office.com webhook.azure", r"webhook\.(?:office|azure)\.com/(webhookb2/[^\s\"'<>]{30,})"),
    ("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d+/\w{5,})"),
    ("twilio-key", "sk", r"SK[0-9a-f]{32}(?![0-9a-z])"),
    ("sendgrid-key", "sg.", r"SG\.[\w-]{16,}\.[\w-]{30,}"),
    ("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![0-9a-f])"),
    ("mailgun-key", "-", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"),
    ("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{60,}-[A-Za-z0-9]{16}"),
    ("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("ntfy-token", "tk_", r"tk_[a-z0-9]{29}(?![a-z0-9])"),
    ("matrix-token", "syt_", r"syt_[\w=-]{1,100}_\w{20}_\w{6}"),
    ("facebook-token", "eaa", r"EAA(?=[A-Za-z]{0,80}\d)[A-Za-z0-9]{60,}"),
    ("twitter-token", "aaaaaaaaaaaaaaaaaaaa", r"A{20,24}[A-Za-z0-9%_-]{50,}"),
    ("stripe-key", "_live_ _test_ _prod_", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("stripe-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("square-token", "sq0", r"sq0[a-z]{3}-[\w-]{22,}"),
    ("square-token", "eaaa", r"EAAA[\w-]{60}(?![\w-])"),
    ("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    ("plaid-token", "access-", rf"access-(?:sandbox|development|production)-{_UUID}"),
    ("flutterwave-key", "flwseck", r"FLWSECK(?:_TEST|_LIVE)?-[A-Za-z0-9-]{20,}"),
    ("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    ("duffel-token", "duffel_", r"duffel_(?:test|live)_[\w=-]{40,}"),
    ("easypost-key", "ezak ezt", r"EZ(?:AK|TK)[A-Za-z0-9]{54,}"),
    ("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-f0-9]{40,}"),
    ("payment-key", "live_ test_", r"(?:live|test)_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{30,}"),
    ("paddle-key", "pdl_", r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{20,}_[A-Za-z0-9]{20,}(?:_\w{3})?"),
    ("mailersend-key", "mlsn.", r"mlsn\.[a-f0-9]{60,}"),
    ("pubnub-key", "sec-c-", r"sec-c-[A-Za-z0-9+/=-]{30,}"),
    ("dingtalk-secret", "sec", r"SEC[a-f0-9]{64}(?![a-f0-9])"),
    ("stytch-secret", "secret-", r"secret-(?:live|test)-[\w-]{30,}={0,2}"),
    ("telnyx-key", "key0", r"KEY0[A-F0-9]{31}_[A-Za-z0-9]{20,}"),
    ("instagram-token", "igq igaa", r"IG(?:QV|QW|AA)[\w-]{60,}"),
    ("paystack-key", "sk_", r"sk_[a-f0-9]{40,}(?![a-z])"),
)  # fmt: skip

MODELS = _rows(
    ("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{20,}"),
    ("openai-key", "sk-", r"sk-(?=[A-Za-z_-]{0,80}\d)(?!ant-)[\w-]{20,}"),
    ("openai-session", "sess-", r"sess-[A-Za-z0-9]{40}(?![A-Za-z0-9])"),
    ("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    ("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{32,}"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    ("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    ("pinecone-key", "pcsk_", r"pcsk_\w{40,}"),
    ("tavily-key", "tvly-", r"tvly-[\w-]{20,}"),
    ("elevenlabs-key", "sk_ xi_", r"(?:sk|xi)_[a-f0-9]{48}(?![a-f0-9])"),
    ("together-key", "tgp_v1_", r"tgp_v1_[\w-]{40,}"),
    ("fireworks-key", "fw_", r"fw_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,}"),
    ("cerebras-key", "csk-", r"csk-[a-z0-9]{40,}"),
    ("nvidia-key", "nvapi-", r"nvapi-[\w-]{60,}"),
    ("firecrawl-key", "fc-", r"fc-[a-f0-9]{32}(?![a-f0-9])"),
    ("jina-key", "jina_", r"jina_[\w-]{40,}"),
    ("voyage-key", "pa-", r"pa-(?=[A-Za-z_-]{0,80}\d)[\w-]{43,}"),
    ("brave-key", "bsa", r"BSA(?=[A-Za-z_-]{0,80}\d)[\w-]{24,}(?![\w-])"),
    ("e2b-key", "e2b_", r"e2b_[a-f0-9]{40}"),
    ("langfuse-key", "sk-lf-", rf"sk-lf-{_UUID}"),
    ("browserbase-key", "bb_live_", r"bb_(?:live|test)_[\w-]{20,}"),
    ("context7-key", "ctx7sk-", rf"ctx7sk-{_UUID}"),
    ("mem0-key", "m0-", r"m0-(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{36,}"),
    ("zhipu-key", ".", r"[a-f0-9]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9.])"),
    ("nomic-key", "nk-", r"nk-(?=[A-Za-z_-]{0,80}\d)[\w-]{40,}"),
)  # fmt: skip

SIGNED = _rows(
    ("jwt", "eyj", r"eyJ[\w-]{8,1000}={0,2}\.eyJ?[\w-]{8,}={0,2}(?:\.[\w-]{4,}={0,2}){0,3}"),
    ("jwt", "eyj", r"eyJ[\w-]{15,1000}\.[\w-]{0,1000}\.[\w-]{10,200}\.[\w-]{10,}\.[\w-]{10,}"),
)  # fmt: skip

# A prefix that says what it is, whoever issues it: `acme_api_…`, `sk_prod_…`. Behind it stand large and small letters and digits.
_SAYS_SO = [
    "sk",
    "pat",
    "tok",
    "token",
    "secret",
    "api",
    "apikey",
    "key",
    "access",
    "refresh",
    "live",
    "prod",
    "oat",
    "uat",
    "bot",
]
PREFIXED = _rows(
    (
        "token",
        " ".join(word + sign for word in _SAYS_SO for sign in "_-"),
        rf"(?:[A-Za-z][A-Za-z0-9]{{1,15}}[_-]){{0,3}}(?:{'|'.join(_SAYS_SO)})[_-](?:[a-z][a-z0-9]{{0,7}}[_-])?(?=[A-Z0-9]{{0,60}}[a-z])(?=[a-z0-9]{{0,60}}[A-Z])(?=[A-Za-z]{{0,60}}\d)[A-Za-z0-9]{{20,}}",
    )
)

_CRYPT = r"[A-Za-z0-9./]"
# Hashes of passwords, which can be tried until the password is known.
HASHES = _rows(
    ("password-hash", "$1$ $5$ $6$ $7$ $8$ $9$ $apr1$ $y$ $gy$ $md5 $sha1$", rf"\$(?:[15-9]|apr1|g?y|md5|sha1)\$(?:rounds=\d{{1,9}}\$)?[A-Za-z0-9./,=]{{1,40}}\$(?:{_CRYPT}{{1,90}}\$)?{_CRYPT}{{15,}}"),
    ("password-hash", "$2", rf"\$2[abxy]?\$\d\d\${_CRYPT}{{50,}}"),
    ("password-hash", "$argon2 $scrypt$ $pbkdf2 $bcrypt-sha256$", r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?|bcrypt-sha256)\$[\w=,.$+/-]{20,}={0,2}"),
    ("password-hash", "pbkdf2", r"pbkdf2(?:_sha\d{1,3}\$\d{1,9}|:sha\d{1,3}(?::\d{1,9})?)\$[\w+/.=]{1,100}\$[\w+/.=]{20,}"),
    ("password-hash", "scrypt:", r"scrypt:\d{1,9}:\d{1,3}:\d{1,3}\$[\w+/.=]{1,100}\$[a-f0-9]{40,}"),
    ("password-hash", "argon2$ bcrypt$ bcrypt_sha256$ md5$ sha1$ sha256$ scrypt$", r"(?:argon2|bcrypt(?:_sha256)?|md5|sha1|sha256|scrypt)\$[\w+/.=,$]{30,}"),
    ("password-hash", "$p$ $h$ $s$", r"\$[PHS]\$[A-Za-z0-9./]{30,}"),
    ("password-hash", "sha} crypt} md5} sha256} sha512} argon2}", r"\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|ARGON2|PBKDF2(?:-SHA\d{1,3})?)\}[\w+/=$.,-]{20,}"),
    ("password-hash", "scram-sha-", r"SCRAM-SHA-(?:1|256|512)\$\d{1,9}:[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=]{20,}:[A-Za-z0-9+/=]{20,}"),
    ("password-hash", "md5", r"md5[a-f0-9]{32}(?![a-f0-9])"),
    ("password-hash", "0x0", r"0x0[12]00[A-Fa-f0-9]{40,}"),
    ("password-hash", "krb5", r"\$krb5(?:tgs|asrep|pa)\$[\w$*@./-]{30,}"),
    ("password-hash", ":::", r"[a-f0-9]{32}:[a-f0-9]{32}(?=:::)"),
    ("password-hash", "*", r"\*[A-F0-9]{40}(?![A-F0-9])"),
    ("private-key", "b3blbnnzac1rzxktdje", r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{60,}"),
    ("private-key", "mii mhc mig mc4", r"(?:MII\w{3}IBA(?:DANBgkqhkiG9w0BAQEFAASC|AKC)|MHcCAQEEI|MIGHAgEAMBMGByqGSM49|MC4CAQAwBQYDK2Vw)[A-Za-z0-9+/]{20,}={0,2}"),
    ("private-key", "ls0tls1crudjti", r"LS0tLS1CRUdJTi(?=[A-Za-z0-9+/]{0,40}(?:UFJJVkFUR|BSSVZBVE|QUklWQVRF))[A-Za-z0-9+/]{60,}={0,2}"),
)  # fmt: skip

# Larger forms: blocks, URLs with a password, headers, command lines.
SHAPES = _rows(
    ("private-key", "private key openvpn", rf"-----BEGIN (?:{_KEY_NAMES})?(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----(?:(?!-----BEGIN)[\s\S]){{0,20000}}?-----END [A-Za-z0-9 ]{{3,50}}-----"),
    ("private-key", "private key", rf"-----BEGIN (?:{_KEY_NAMES})?PRIVATE KEY(?: BLOCK)?-----(?:(?:[\s>|+*#,\"']|\\+[nrt]){{0,12}}+(?:[A-Za-z-]{{3,20}}: [^\n]{{1,200}}|{_PEM_RUN})){{1,400}}"),
    ("private-key", "private-lines", r"Private-Lines: \d+\s+((?:[A-Za-z0-9+/=]{1,64}\s+){1,200})"),
    ("private-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("private-key", "nsec1", r"nsec1[a-z0-9]{58}"),
    ("private-key", "prv", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}"),
    ("url-password", "://", r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@?#\"'<>]{0,100}:([^\s/?#\"'<>]{1,200}|[^\s:@\"'<>\d][^\s:@\"'<>]{2,200})@(?=[\w\[-])"),
    ("url-password", "://", r"https?://((?=[A-Za-z_-]{0,80}\d)[\w-]{20,200})@(?=[\w\[-])"),
    ("url-signature", "sig= signature=", r"[?&;](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=([^\s&\"'<>]{16,})"),
    ("netrc-password", "login", r"login\s+\S{1,100}\s+password\s+([^\s\"']{3,200})"),
    ("pgpass-password", ":5432: :3306: :6543:", r"[\w.*-]{1,100}:\d{4}:[\w.*-]{1,60}:[\w.@*-]{1,60}:([^\s\"':]{3,200})"),
    ("command-password", "mysql mariadb", r"(?:mysql|mariadb)(?:dump|admin|import)?\s[^\n|;]{0,200}?(?<=\s)-p[\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("command-password", "curl http wget", r"(?:curl|https?|wget)\s(?:[^\n|;]{0,400}?\s)?(?:-u|--user|-a|--auth)[ =]?[\"']?[^\s:\"'/]{1,100}:([^\s\"']{3,100})"),
    ("command-password", "sshpass ldap redis-cli mongo", r"(?:sshpass|ldap\w{3,8}|redis-cli|mongo(?:sh|dump)?)\s(?:[^\n|;]{0,200}?\s)?(?:(?<!cli )-p|-[wa])[ =]?(?:[\"']([^\"'\n]{3,100})[\"']|((?=[^\s]{0,100}[\d!@#$%^&*])[^\s\"'\-:][^\s\"':]{3,100})(?=\s|$))"),
    ("command-password", "login", r"(?:docker|podman|helm|az|oc|skopeo|crane|buildah)\s(?:[^\n|;]{0,40}\s)?login\s(?:[^\n|;]{0,200}?\s)?-[pw][ =]?(?:[\"']([^\"'\n]{3,100})[\"']|((?=[^\s]{0,100}[\d!@#$%^&*])[^\s\"'\-:][^\s\"':]{3,100})(?=\s|$))"),
    ("command-password", "requirepass masterauth", r"(?:requirepass|masterauth)\s+[\"']?([^\s\"'<]{4,200})"),
    ("command-password", "identified", r"identified\s+by\s+(?:password\s+)?'([^'\n]{3,200})'"),
    ("command-password", "--from-literal", r"--from-literal[= ][\w.-]{1,200}=[\"']?([^\s\"']{3,1000})"),
    ("command-password", "sudo --password-stdin", r"echo\s+(?:-n\s+)?[\"']?([^\s\"'|$]{4,200})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s+-S|[^\n|]{0,120}--password-stdin)"),
    ("command-password", "zip 7z", r"(?:(?:un)?zip\s(?:[^\n|;]{0,200}?\s)?-P\s?|7za?\s(?:[^\n|;]{0,200}?\s)?-p)[\"']?([^\s\"']{4,100})"),
    ("command-password", "password secret key", r"(?:password|secret|key-string)\s[0579]\s([\w./$]{8,200})(?=\s|$)"),
    ("command-password", "pass:", r"(?<=[ =])pass:((?=[^\s]{0,200}\d)[^\s\"']{4,100})"),
    ("okta-token", "ssws", r"SSWS\s+([\w-]{30,})"),
    ("cookie", "cookie:", r"cookie:\s*([^\n\"']{0,200}?=[^\n\"']{8,4000})"),
    ("backup-code", "backup recovery scratch emergency rescue 2fa", r"(?:backup|recovery|scratch|emergency|rescue|2fa)[ _-]?codes?[^\n:]{0,30}:?((?:[\s,*•-]{1,6}(?:\d{1,2}[.)]\s)?(?=[a-z-]{0,12}\d)(?:[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){1,7}|[a-z0-9]{8,12})(?![\w-])){1,24})"),
    ("seed-phrase", "phrase mnemonic seed", r"(?i:(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words?)|mnemonic|seed)[\"']?\s{0,3}(?:is|are|was|=|:)\s{0,3}[\"']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"),
)  # fmt: skip

TOKENS = (*CLOUDS, *WORKSHOPS, *MESSENGERS_AND_MONEY, *MODELS, *SIGNED, *HASHES, *PREFIXED)
# Characters without a space that every token has; most sentences have no such word and need no patterns. A token that is known by a
# single sign has more of them.
SHORTEST, LONG = 15, 40


MARK = re.compile(r"\[REDACTED:([a-z0-9-]{1,40}):([0-9a-f]{8})\]")
_DEEPEST = 64
# No letter or digit before a token, but for those of an escape: `\nghp_…`, `%20ghp_…`.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_TOKENS_BY_NEAR = tuple((near, rule) for rule in TOKENS for near in rule.near)
_SHAPES_BY_NEAR = tuple((near, rule) for rule in SHAPES for near in rule.near)
# Keys and timestamps of a record, which are no secrets.
_PLAIN = re.compile(
    r"[a-z_]{0,24}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")


class Redacted(NamedTuple):
    """A value without its secrets, and the kinds of those removed."""

    value: Any
    kinds: tuple[str, ...]


class Redactor:
    """Removes secrets from texts and from JSON values.

    Args:
        key: of the fingerprints, so that a reader of a log cannot test passwords against them.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def digest(self, *parts: str) -> str:
        """A keyed digest of some texts: no guess can be tested without the key."""
        return keyed_digest(self._key, *parts)

    def text(self, text: str) -> Redacted:
        """The text without its secrets."""
        if _PLAIN.fullmatch(text):
            return Redacted(text, ())
        pieces: list[str] = []
        kinds: list[str] = []
        if "[REDACTED:" not in text:
            return Redacted(self._between(text, kinds), tuple(kinds))
        end = 0
        for mark in MARK.finditer(text):
            pieces += [self._between(text[end : mark.start()], kinds), mark[0]]
            end = mark.end()
        return Redacted("".join([*pieces, self._between(text[end:], kinds)]), tuple(kinds))

    def value(self, value: Any) -> Redacted:
        """Removes the secrets of a JSON value, from its strings and keys; a value whose key names a secret is one."""
        kinds: list[str] = []
        return Redacted(self._walk(value, "", kinds, 0), tuple(kinds))

    def mark(self, kind: str, secret: str) -> str:
        """The mark that replaces a secret; the same secret always gets the same mark."""
        print_ = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:8]
        return f"[REDACTED:{kind}:{print_}]"

    def _between(self, text: str, kinds: list[str]) -> str:
        """Redacts a part of a text that holds no mark."""
        pieces: list[str] = []
        end = 0
        for span in _merge(_spans(text)):
            pieces += [text[end : span.start], self.mark(span.kind, text[span.start : span.end])]
            kinds.append(span.kind)
            end = span.end
        return "".join([*pieces, text[end:]])

    def _walk(self, value: Any, name: str, kinds: list[str], depth: int) -> Any:
        if isinstance(value, str):
            return self._string(value, name, kinds)
        if depth > _DEEPEST:
            return "…"
        if isinstance(value, dict):
            secret = secret_members(value)
            return {
                key if _PLAIN.fullmatch(key) else self._string(key, "", kinds): self._seal(
                    inner, kinds, depth + 1
                )
                if key in secret
                else self._walk(inner, _name_of(value, key), kinds, depth + 1)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [
                self._walk(inner, _flag(value, index) or name, kinds, depth + 1)
                for index, inner in enumerate(value)
            ]
        if isinstance(value, int) and not isinstance(value, bool) and name and value_of(name, str(value)):
            return self._string(str(value), name, kinds)
        return value

    def _seal(self, value: Any, kinds: list[str], depth: int) -> Any:
        """Removes every text of a value whose place makes it a secret."""
        if isinstance(value, dict):
            return {key: self._seal(inner, kinds, depth + 1) for key, inner in value.items()}
        if not isinstance(value, str) or not value or MARK.search(value):
            return self._walk(value, "", kinds, depth)
        kinds.append("secret")
        return self.mark("secret", value)

    def _string(self, text: str, name: str, kinds: list[str]) -> str:
        redacted = self.text(text)
        kinds += redacted.kinds
        if name and not redacted.kinds and text and (kind := value_of(name, text)):
            kinds.append(kind)
            return self.mark(kind, text)
        return str(redacted.value)


def _name_of(holder: dict[str, Any], key: str) -> str:
    """The name of a value: its key, or the `name` beside it, as in `{"name": "DB_PASSWORD", "value": …}`."""
    beside = holder.get("name", holder.get("key")) if key.lower() == "value" else None
    return beside if isinstance(beside, str) else key


def _flag(items: list[Any], at: int) -> str:
    """The name that a list item gives the next one: `["--password", "…"]`."""
    before = items[at - 1] if at else None
    return before.lstrip("-") if isinstance(before, str) and _FLAG.fullmatch(before) else ""


def _spans(text: str) -> Iterator[_Span]:
    """The secrets of a text as it is written, as it is meant, and those that a line break divides."""
    yield from _secrets(text)
    meant = unwrap(text)
    if meant.edits:
        for span in _secrets(meant.text):
            yield _Span(*meant.span(span.start, span.end), span.kind)
    lines = join_lines(meant.text)
    if lines.edits:
        for span in _secrets(lines.text):
            yield _Span(*meant.span(*lines.span(span.start, span.end)), span.kind)


def _secrets(text: str) -> Iterator[_Span]:
    low = lower(text)
    yield from _forms(text, low)
    yield from named_secrets(text, low)
    yield from placed_secrets(text, low)


def _forms(text: str, low: str) -> Iterator[_Span]:
    long = " ".join([word for word in low.split() if len(word) >= SHORTEST])
    is_long = any(len(word) >= LONG for word in long.split())
    near = (
        [rule for near, rule in _TOKENS_BY_NEAR if near in long and (is_long or len(near) > 1)]
        if long
        else []
    )
    near += [rule for near, rule in _SHAPES_BY_NEAR if near in low]
    for rule in dict.fromkeys(near):
        for hit in lazy_pattern(rule).finditer(text):
            group = next((n for n in range(1, hit.re.groups + 1) if hit[n]), 0)
            if not group or not is_sample(hit[group]):
                yield _Span(*hit.span(group), rule.kind)


def _merge(spans: Iterable[_Span]) -> list[_Span]:
    """Sorts spans and joins overlapping ones; the first rule gives the kind."""
    merged: list[_Span] = []
    for span in sorted(
        ((s.start, s.end, n, s.kind) for n, s in enumerate(spans)), key=lambda one: (one[0], one[2])
    ):
        start, end, _, kind = span
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(_Span(start, end, kind))
    return merged


@cache
def lazy_pattern(rule: SecretRule) -> re.Pattern[str]:
    """Compiles a pattern at its first use: compiling them all takes longer than to capture a turn."""
    return (
        re.compile(rule.pattern, re.IGNORECASE)
        if rule in SHAPES
        else re.compile(f"{_EDGE}(?:{rule.pattern})")
    )


def keyed_digest(key: bytes, *parts: str) -> str:
    """The digest of some texts under a key: 32 hex digits."""
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(key, b"forgotten\0" + text, hashlib.sha256).hexdigest()[:32]


# The gate: input is written without its secrets, and no message repeats them. What a file holds already keeps every byte.

_LEAST = 8  # characters of the beginning of a secret that tell it
_BREAKS = re.compile(r"[\s\"'\\]+")


class RedactionGate:
    """Redacts the input of one call, or the messages of one interface, and remembers what it removed.

    Args:
        key: returns the key of the fingerprints; called at the first secret.
        as_is: True to keep a text as a person typed it at the command line.
    """

    def __init__(self, key: Callable[[], bytes], *, as_is: bool = False) -> None:
        self._key = key
        self._known: bytes | None = None
        self._as_is = as_is
        self._taken: dict[str, str] = {}  # secret → its kind

    def value(self, said: Any, *, standing: str = "") -> Any:
        """Removes the secrets of a JSON value.

        Args:
            said: the input.
            standing: text that is in the vault already; secrets in it stay.
        """
        if self._as_is:
            return said
        taking = _Redaction(self._kept, standing)
        clean = taking.value(said).value
        self._taken |= taking.taken
        return clean

    def text(self, said: str) -> str:
        """A text without its secrets."""
        return str(self.value(said))

    def message(self, text: str) -> str:
        """Removes the secrets of a commit message, without a notice."""
        return text if self._as_is else str(_Redaction(self._kept).text(text).value)

    def digest(self, *parts: str) -> str:
        """A keyed digest of some texts: the same for the same texts and key, and no guess can be tested without the key."""
        return keyed_digest(self._kept(), *parts)

    @property
    def notice(self) -> str:
        """The notice on the secrets that were removed; empty without any."""
        if not self._taken:
            return ""
        kinds = Counter(self._taken.values())
        kinds_in_words = ", ".join(kind if n == 1 else f"{n} x {kind}" for kind, n in sorted(kinds.items()))
        subject = "a secret was" if len(self._taken) == 1 else f"{len(self._taken)} secrets were"
        return f"{subject} taken out before anything was written ({kinds_in_words}); --as-is on the command line keeps a text as typed"

    def sentence(self, told: str, *given: Any) -> str:
        """Removes from a message its secrets and those of the input, even the beginning of one.

        Args:
            told: the message.
            given: the input: texts, bytes of JSON, values.
        """
        taking = _Redaction(self._kept)
        for text in given:
            taking.value(_read(text))
        secrets = list(taking.taken.items())
        marks = {piece: taking.mark(kind, text) for text, kind in secrets for piece in _parts(text, told)}
        if marks:
            longest = sorted(map(re.escape, marks), key=len, reverse=True)
            told = re.sub("|".join(longest), lambda hit: marks[hit[0].lower()], told, flags=re.IGNORECASE)
        return str(taking.text(told).value)

    def _kept(self) -> bytes:
        if self._known is None:
            self._known = self._key()
        return self._known


class _Redaction(Redactor):
    """Removes secrets except those that stand in the vault already, and remembers which."""

    def __init__(self, key: Callable[[], bytes], standing: str = "") -> None:
        super().__init__(b"")
        self._ask = key
        self._standing = standing
        self.taken: dict[str, str] = {}

    def mark(self, kind: str, secret: str) -> str:
        """What stands in place of a secret."""
        if secret in self._standing:
            return secret
        self._key = self._ask()
        self.taken[secret] = kind
        return super().mark(kind, secret)


def _read(data: Any) -> Any:
    """Parses JSON, in which a key may name a secret; all else stays text."""
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "["):
        return json_value(data, data)
    return data


def _parts(secret: str, message: str) -> list[str]:
    """The parts of a secret that a message repeats, in lower case: its words, or the beginnings of words that were cut."""
    secret, message = secret.lower(), message.lower()
    matches = [secret] if secret in message else []
    for word in _BREAKS.split(secret):
        size = next((n for n in range(len(word), _LEAST - 1, -1) if word[:n] in message), 0)
        matches += [word[:size]] if size else []
    return matches
