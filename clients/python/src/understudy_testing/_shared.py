"""What the adapters of frameworks share: the server, and calls that do not hold up an event loop."""

import asyncio
import os
from functools import partial
from typing import Any, Callable, Optional

from ._server import Server, connect, start_understudy


def server_for(url: Optional[str] = None, admin_token: Optional[str] = None) -> Server:
    """The server at a URL, at ``UNDERSTUDY_URL``, or one that is started and ends with this process."""
    url = url or os.environ.get("UNDERSTUDY_URL")
    return connect(url, admin_token or os.environ.get("UNDERSTUDY_ADMIN_TOKEN")) if url else start_understudy()


async def in_thread(call: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Runs a call that waits for the network beside the event loop, of asyncio or of trio."""
    try:
        from anyio import to_thread
    except ImportError:
        return await asyncio.to_thread(call, *args, **named)
    return await to_thread.run_sync(partial(call, *args, **named))
