"""A Temporal worker whose activity is a tool of an agent that is written in TypeScript."""

import asyncio
import os
import signal
import statistics
from typing import Any

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker


@activity.defn
async def describe_numbers(arguments: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    numbers = arguments["numbers"]
    activity.heartbeat(f"looking at {len(numbers)} numbers")
    if len(numbers) < 2:
        # What another try would not change, the model is told at once.
        raise ApplicationError("give at least two numbers", non_retryable=True)
    return {
        "mean": statistics.mean(numbers),
        "median": statistics.median(numbers),
        "standard_deviation": round(statistics.stdev(numbers), 3),
    }


async def main() -> None:
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"))
    stopped = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    async with Worker(client, task_queue="python-tools", activities=[describe_numbers]):
        await stopped.wait()


if __name__ == "__main__":
    asyncio.run(main())
