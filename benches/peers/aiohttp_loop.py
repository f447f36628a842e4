"""The least a Python program can do: one session, a semaphore, no limit, a handful of attempts."""

import asyncio

import aiohttp
from rows import IN_FLIGHT, URL, label, prompts, write


async def ask(session, places, prompt):
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    async with places:
        for attempt in range(6):
            async with session.post(f"{URL}/chat/completions", json=body) as response:
                if response.status == 200:
                    answer = await response.json()
                    return label(answer["choices"][0]["message"]["content"])
            await asyncio.sleep(0.5 * 2**attempt)
    return ""


async def main():
    places = asyncio.Semaphore(IN_FLIGHT)
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session:
        write(await asyncio.gather(*(ask(session, places, prompt) for prompt in prompts())))


asyncio.run(main())
