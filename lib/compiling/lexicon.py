"""Known names of tools, and what each one is."""

import re
from dataclasses import dataclass
from functools import lru_cache

_NAMES = {
    "database": "postgres|postgresql|mysql|mariadb|sqlite|cockroachdb|mongodb|mongo|oracle"
    "|sql server"
    "|mssql|dynamodb|cassandra|scylladb|spanner|cloud spanner|firestore|planetscale|neon|supabase"
    "|aurora|tidb|yugabytedb|db2|couchdb|neo4j|surrealdb|timescaledb|edgedb|turso|libsql",
    "vector store": "pgvector|qdrant|pinecone|weaviate|milvus|chroma|chromadb|faiss|lancedb|vespa"
    "|turbopuffer",
    "warehouse": "snowflake|bigquery|redshift|clickhouse|databricks|duckdb|motherduck",
    "search engine": "elasticsearch|opensearch|meilisearch|typesense|solr|algolia",
    "cache": "redis|memcached|valkey|dragonfly|keydb",
    "queue": "rabbitmq|kafka|celery|sqs|nats|sidekiq|bullmq|arq|dramatiq|rq|pubsub|temporal|airflow"
    "|dagster|prefect|redpanda|pulsar",
    "language": "python|typescript|javascript|rust|golang|java|kotlin|swift|c++|c#|ruby|php|scala"
    "|elixir|haskell|clojure|ocaml|zig|perl|lua|julia|dart|erlang|cobol|fortran|matlab"
    "|objective-c|f#"
    "|go|r|c|nim|crystal|gleam|vba|sql|plpgsql|bash scripts",
    "editor": "vim|neovim|nvim|emacs|vs code|vscode|visual studio code|visual studio|pycharm"
    "|intellij"
    "|intellij idea|webstorm|goland|rustrover|clion|rider|zed|helix|sublime|sublime text|cursor"
    "|xcode|android studio|eclipse|nano|windsurf|notepad++",
    "backend framework": "fastapi|django|flask|express|nestjs|rails|ruby on rails|laravel|spring"
    "|spring boot|phoenix|gin|actix|axum|starlette|litestar|fastify|hono|koa|asp.net"
    "|quarkus|sinatra"
    "|symfony|micronaut|ktor",
    "frontend framework": "react|vue|svelte|sveltekit|angular|next.js|nextjs|nuxt|remix|astro|solid"
    "|solidjs|qwik|htmx|ember|preact|streamlit|gradio|react native|flutter|alpine.js|vue 3|swiftui",
    "hosting": "fly.io|heroku|vercel|netlify|render|railway|aws|azure|gcp|google cloud|hetzner|ovh"
    "|digitalocean|linode|scaleway|cloud run|lambda|aws lambda|ecs|fargate|cloudflare"
    "|cloudflare pages"
    "|cloudflare workers|app engine|ec2|lightsail|coolify|upsun|vultr|exoscale|infomaniak",
    "orchestration": "kubernetes|k8s|nomad|docker swarm|eks|gke|aks|openshift|k3s|docker compose",
    "container tool": "docker|podman|buildah|containerd",
    "infrastructure tool": "terraform|pulumi|ansible|opentofu|helm|vault|cloudformation|chef|puppet|nix|nixos",
    "ci": "github actions|gitlab ci|circleci|jenkins|travis|buildkite|drone|azure pipelines"
    "|teamcity"
    "|woodpecker|bitbucket pipelines|argo cd|argocd",
    "package manager": "pnpm|npm|yarn|bun|poetry|uv|pip|conda|pipenv|cargo|maven|gradle|homebrew|pdm"
    "|bazel|sbt|composer|bundler",
    "operating system": "linux|ubuntu|debian|fedora|arch|arch linux|macos|mac os|windows|windows 11"
    "|windows 10|freebsd|wsl|wsl2|alpine linux|red hat|rhel|pop!_os",
    "shell": "zsh|bash|fish|powershell|nushell|tmux|kitty|alacritty|ghostty|wezterm|iterm",
    "monitoring": "sentry|grafana|grafana loki|loki|prometheus|datadog|new relic|honeycomb|splunk"
    "|elk|kibana|opentelemetry|jaeger|betterstack|rollbar|pagerduty|cloudwatch|victoriametrics",
    "embedding model": "all-minilm-l6-v2|bge-m3|bge-large|e5-large|nomic-embed-text|jina-embeddings",
    "similarity measure": "cosine|cosine distance|cosine similarity|inner product|dot product"
    "|euclidean|euclidean distance|l2 distance|l2|hamming distance|manhattan distance",
    "language model": "gpt-4o|gpt-4o-mini|claude|gemini|mistral|llama|qwen|deepseek|phi-3|command r",
    "model tooling": "langchain|llamaindex|ollama|vllm|haystack|dspy|llama.cpp|transformers|pytorch"
    "|tensorflow|keras|scikit-learn|jax|onnx|hugging face|openai|anthropic|openrouter|litellm",
    "data tool": "pandas|polars|numpy|spark|dbt|jupyter|excel|numba|dask|airbyte|fivetran|looker"
    "|metabase|tableau|power bi|superset",
    "orm": "sqlalchemy|prisma|drizzle|hibernate|typeorm|sqlmodel|alembic|activerecord"
    "|sequelize|sqlx"
    "|diesel|ecto|jooq|mybatis|flyway",
    "test tool": "pytest|jest|vitest|cypress|playwright|selenium|junit|mocha|rspec|hypothesis"
    "|testcontainers",
    "tracker": "jira|linear|trello|asana|notion|github issues|youtrack|clickup|shortcut|basecamp"
    "|monday",
    "chat tool": "slack|discord|microsoft teams|mattermost|zulip|telegram",
    "version control": "git|github|gitlab|bitbucket|mercurial|gitea|forgejo|jujutsu|perforce",
    "payment provider": "stripe|adyen|paypal|mollie|razorpay|braintree|lemon squeezy|paddle",
    "auth provider": "auth0|okta|keycloak|clerk|cognito|firebase|ory",
    "web server": "nginx|caddy|traefik|apache|haproxy|envoy|gunicorn|uvicorn",
    "css tool": "tailwind|tailwind css|bootstrap|sass|material ui|chakra|shadcn|styled-components",
    "api style": "graphql|grpc|rest|trpc|websockets|server-sent events|openapi",
    "linter": "ruff|black|eslint|prettier|mypy|pyright|biome|clippy|pylint|flake8|sonarqube|gofmt",
    "build tool": "vite|webpack|esbuild|turbopack|rollup|cmake|make|meson|parcel|nx|turborepo",
    "storage": "s3|minio|r2|gcs|azure blob storage|ceph|backblaze",
    "game engine": "unity|godot|unreal|unreal engine|bevy|gamemaker|phaser",
    "mobile platform": "ios|android",
}
_SINGLE = frozenset(
    {
        "database", "editor", "hosting", "embedding model", "similarity measure", "package manager",
        "operating system", "language model", "ci", "monitoring", "tracker", "vector store",
        "game engine", "cache", "payment provider", "version control", "auth provider", "orm",
        "backend framework", "frontend framework", "orchestration",
    }
)  # fmt: skip
# Names that are also everyday words count only as they are written when they are a name.
_CASED = {"go": "Go", "r": "R", "c": "C", "rest": "REST", "make": "make", "spring": "Spring", "render": "Render",
          "linear": "Linear", "express": "Express", "notion": "Notion", "cursor": "Cursor", "solid": "Solid",
          "oracle": "Oracle", "unity": "Unity", "phoenix": "Phoenix", "helix": "Helix", "rails": "Rails",
          "swift": "Swift", "rider": "Rider", "monday": "monday.com", "eclipse": "Eclipse", "shortcut": "Shortcut",
          "neon": "Neon", "aurora": "Aurora", "drone": "Drone", "railway": "Railway", "nano": "nano",
          "temporal": "Temporal", "arch": "Arch", "lambda": "Lambda", "apache": "Apache", "black": "Black",
          "composer": "Composer", "puppet": "Puppet", "chef": "Chef", "fish": "fish", "bun": "Bun", "travis": "Travis",
          "remix": "Remix", "windows": "Windows", "crystal": "Crystal", "gin": "Gin", "paddle": "Paddle",
          "zed": "Zed", "parcel": "Parcel", "ember": "Ember", "astro": "Astro", "excel": "Excel", "spark": "Spark",
          "transformers": "transformers", "hypothesis": "Hypothesis", "clerk": "Clerk", "envoy": "Envoy",
          "diesel": "Diesel", "prefect": "Prefect", "composer.": "Composer", "dragonfly": "Dragonfly",
          "bootstrap": "Bootstrap", "asana": "Asana", "slack": "Slack", "mercurial": "Mercurial", "cypress": "Cypress",
          "julia": "Julia", "dart": "Dart", "ruby": "Ruby", "ory": "Ory", "nomad": "Nomad", "sublime": "Sublime",
          "react": "React", "chroma": "Chroma", "nats": "NATS", "ecs": "ECS", "elk": "ELK"}  # fmt: skip
_CLASS = {
    name: kind for kind, names in _NAMES.items() for name in names.split("|") if name not in _CASED
} | {
    written: kind
    for kind, names in _NAMES.items()
    for name in names.split("|")
    if (written := _CASED.get(name))
}
_SAME = {"postgresql": "postgres", "nvim": "neovim", "vscode": "vs code", "visual studio code": "vs code",
         "k8s": "kubernetes", "nextjs": "next.js", "mongo": "mongodb", "golang": "go", "cosine distance": "cosine",
         "cosine similarity": "cosine", "dot product": "inner product", "mac os": "macos",
         "euclidean distance": "euclidean", "l2 distance": "euclidean", "l2": "euclidean"}  # fmt: skip
_FIRST_WORDS = frozenset(name.lower().split()[0] for name in _CLASS)
_MODEL = re.compile(
    r"(?:gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek"
    r"|o[134])-?[\w.:-]*\d[\w.:-]*",
    re.IGNORECASE,
)
_EMBEDDING = re.compile(
    r"(?:text-embedding|voyage|embed|bge|e5|gte|jina|nomic)-[\w.-]+", re.IGNORECASE
)
_WORD = re.compile(r"[^\s,;()\"“”`]+")


@dataclass(frozen=True, slots=True)
class Tool:
    """One known name found in text: what it is, its common spelling in lower case, and where."""

    kind: str
    value: str
    start: int
    end: int

    @property
    def single(self) -> bool:
        """True for things people mostly have one of at a time, such as a database."""
        return self.kind in _SINGLE


def find_tools(text: str, *, any_case: bool = False) -> list[Tool]:
    """Known tools named in `text`, in order; the longest name wins.

    Names that are also everyday words, such as Go, count in lower case only with `any_case`.
    """
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    found: list[Tool] = []
    at = 0
    while at < len(words):
        first, start, _ = words[at]
        step = 1
        for length in (3, 2, 1) if _may_begin_a_name(first) else ():
            if at + length > len(words):
                continue
            kind, value, size = _look_up(text[start : words[at + length - 1][2]], any_case=any_case)
            if kind:
                found.append(Tool(kind, value, start, start + size))
                step = length
                break
        at += step
    return found


@lru_cache(maxsize=4096)
def _may_begin_a_name(word: str) -> bool:
    bare = word.rstrip(".:!?'’*").lower().removesuffix("'s").removesuffix("’s")
    return bare in _FIRST_WORDS or "-" in word or any(char.isdigit() for char in word)


@lru_cache(maxsize=4096)
def _look_up(phrase: str, *, any_case: bool) -> tuple[str, str, int]:
    """Kind, common spelling and length of the name that `phrase` is; an empty kind if it is none."""
    name = phrase.rstrip(".:!?'’*")
    name = name[:-2] if name.endswith(("'s", "’s")) else name
    lower = name.lower()
    kind = _CLASS.get(lower) if lower not in _CASED else None
    kind = kind or _CLASS.get(name) or (_CLASS.get(_CASED.get(lower, "")) if any_case else None)
    if kind is None and " " not in name:
        kind = "embedding model" if _EMBEDDING.fullmatch(name) else None
        kind = kind or ("language model" if _MODEL.fullmatch(name) else None)
    return (kind or "", _SAME.get(lower, lower), len(name))
