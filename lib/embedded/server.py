"""The server: a memory runtime as the `/v1` HTTP contract of Statewave.

Beyond the contract it answers `GET /v1/version` with capabilities, `GET /v1/episodes/pending`,
`POST /v1/memories/{id}/forget|restore|correct` and `POST /v1/context/explain`, and adds `items`,
`cut_counts`, `occurred_at` and `idempotency_key`. Where it means to differ from a recorded
Statewave server, `tests/replay/differences.py` says how and why.
"""

from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Path, Query, Response

from lib.embedded import envelope
from lib.embedded.bodies import (
    BatchBody,
    CompileBody,
    ContextBody,
    CorrectionBody,
    EpisodeBody,
    ExplainBody,
    SubjectBody,
    recorded,
)
from lib.embedded.envelope import json_response
from lib.embedded.jobs import CompileJobs, Job
from lib.models import MemoryList
from lib.protocol import MemoryRuntime
from lib.wire import (
    encode_bundle,
    encode_compile,
    encode_deletion,
    encode_episode,
    encode_item,
    encode_memories,
    encode_memory,
    encode_subjects,
    encode_timeline,
)

Subject = Annotated[str, Query(max_length=256)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0)]
MemoryId = Annotated[str, Path(max_length=256)]


def create_app(runtime: MemoryRuntime, *, api_key: str | None = None) -> FastAPI:
    """An ASGI app that serves `runtime`; with `api_key` every `/v1` call must carry it."""
    app = FastAPI(title="Statewave", docs_url=None, redoc_url=None)
    envelope.install(app, api_key=api_key)
    _add_health(app, runtime)
    _add_episodes(app, runtime)
    _add_compiling(app, runtime)
    _add_memories(app, runtime)
    _add_changes(app, runtime)
    _add_context(app, runtime)
    _add_subjects(app, runtime)
    return app


def _add_health(app: FastAPI, runtime: MemoryRuntime) -> None:
    @app.get("/health")
    @app.get("/healthz")
    def healthz() -> Response:
        return json_response({"status": "ok"})

    @app.get("/ready")
    @app.get("/readyz")
    def readyz() -> Response:
        check = {"name": "store", "status": "ok", "latency_ms": round(runtime.ping(), 3)}
        return json_response({"status": "ready", "checks": [check]})

    @app.get("/v1/version")
    def version() -> Response:
        info = runtime.info()
        return json_response(
            {
                "name": info.name,
                "version": info.version,
                "capabilities": sorted(runtime.capabilities()),
            }
        )


def _add_episodes(app: FastAPI, runtime: MemoryRuntime) -> None:
    @app.post("/v1/episodes")
    def record(body: EpisodeBody) -> Response:
        (episode,) = recorded(runtime, [body])
        return json_response(encode_episode(episode), status=201)

    @app.post("/v1/episodes/batch")
    def record_batch(body: BatchBody) -> Response:
        episodes = [encode_episode(each) for each in recorded(runtime, body.episodes)]
        return json_response({"episodes_created": len(episodes), "episodes": episodes}, status=201)

    @app.get("/v1/episodes/pending")
    def pending(subject_id: Subject) -> Response:
        count = runtime.pending_episodes(subject_id)
        return json_response({"subject_id": subject_id, "pending": count})


def _add_compiling(app: FastAPI, runtime: MemoryRuntime) -> None:
    jobs = CompileJobs(runtime)

    @app.post("/v1/memories/compile")
    def compile_memories(body: CompileBody) -> Response:
        if body.later:
            started = {"job_id": jobs.start(body.subject_id).id, "status": "pending"}
            return json_response({**started, "subject_id": body.subject_id}, status=202)
        return json_response(encode_compile(runtime.compile_memories(body.subject_id)))

    @app.get("/v1/memories/compile/{job_id}")
    def compile_status(job_id: str) -> Response:
        job = jobs.find(job_id)
        if job is None:
            raise HTTPException(404, "Job not found or expired")
        return json_response(_encode_job(job))


def _encode_job(job: Job) -> dict[str, Any]:
    started = {"job_id": job.id, "status": job.status, "subject_id": job.subject_id}
    if job.report is not None:
        return {**encode_compile(job.report), **started}
    if job.error is not None:
        return {**started, "error": job.error}
    progress = {"done": job.done, "total": job.total} if job.total else None
    return {**started, "progress": progress} if progress else started


def _add_memories(app: FastAPI, runtime: MemoryRuntime) -> None:
    @app.get("/v1/memories/search")
    def search(
        subject_id: Subject,
        q: str = "",
        kind: str = "",
        semantic: bool = False,  # noqa: ARG001 - a search here always ranks as well as it can
        limit: Annotated[int, Query(ge=0, le=1000)] = 20,
        offset: Offset = 0,
    ) -> Response:
        end = offset + limit
        if q.strip():
            # One more than asked for tells whether there are more.
            found = runtime.search_memories(subject_id, q, kind=kind or None, limit=end + 1)
        else:
            found = runtime.list_memories(subject_id, kind=kind or None)
        more = len(found.memories) > end or not found.complete
        return json_response(
            encode_memories(MemoryList(found.memories[offset:end], complete=not more))
        )


def _add_changes(app: FastAPI, runtime: MemoryRuntime) -> None:
    @app.post("/v1/memories/{memory_id}/forget")
    def forget(memory_id: MemoryId, body: SubjectBody) -> Response:
        return json_response(encode_memory(runtime.forget_memory(body.subject_id, memory_id)))

    @app.post("/v1/memories/{memory_id}/restore")
    def restore(memory_id: MemoryId, body: SubjectBody) -> Response:
        return json_response(encode_memory(runtime.restore_memory(body.subject_id, memory_id)))

    @app.post("/v1/memories/{memory_id}/correct")
    def correct(memory_id: MemoryId, body: CorrectionBody) -> Response:
        memory = runtime.correct_memory(body.subject_id, memory_id, body.content)
        return json_response(encode_memory(memory))


def _add_context(app: FastAPI, runtime: MemoryRuntime) -> None:
    @app.post("/v1/context")
    def context(body: ContextBody) -> Response:
        bundle = runtime.get_context(
            body.subject_id, body.task, max_tokens=body.max_tokens, session_id=body.session_id
        )
        return json_response(encode_bundle(bundle))

    @app.post("/v1/context/explain")
    def explain(body: ExplainBody) -> Response:
        return json_response(
            encode_item(runtime.explain(body.subject_id, body.task, body.memory_id))
        )


def _add_subjects(app: FastAPI, runtime: MemoryRuntime) -> None:
    @app.get("/v1/timeline")
    def timeline(
        subject_id: Subject, limit: Limit = 100, offset: Offset = 0, newest_first: bool = False
    ) -> Response:
        return json_response(
            encode_timeline(
                runtime.timeline(subject_id), limit=limit, offset=offset, newest_first=newest_first
            )
        )

    @app.get("/v1/subjects")
    def subjects(limit: Annotated[int, Query(ge=1, le=200)] = 50, offset: Offset = 0) -> Response:
        return json_response(encode_subjects(runtime.list_subjects()[offset : offset + limit]))

    @app.delete("/v1/subjects/{subject_id}")
    def delete(subject_id: Annotated[str, Path(max_length=256)]) -> Response:
        return json_response(encode_deletion(runtime.delete_subject(subject_id)))
