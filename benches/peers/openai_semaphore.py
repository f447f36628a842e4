"""The vendor's client as its documentation shows it: asynchronous, with a semaphore, its own retries."""

import asyncio

from openai import AsyncOpenAI, OpenAIError
from rows import IN_FLIGHT, URL, label, prompts, write


async def ask(client, places, prompt):
    async with places:
        try:
            answer = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": prompt}], temperature=0
            )
        except OpenAIError:
            return ""
        return label(answer.choices[0].message.content)


async def main():
    places = asyncio.Semaphore(IN_FLIGHT)
    async with AsyncOpenAI(base_url=URL) as client:
        write(await asyncio.gather(*(ask(client, places, prompt) for prompt in prompts())))


asyncio.run(main())
