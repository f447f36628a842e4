"""litellm's batch_completion: threads, three retries."""

import litellm
from rows import IN_FLIGHT, URL, label, prompts, write

litellm.telemetry = False
answers = litellm.batch_completion(
    model="openai/m",
    api_base=URL,
    messages=[[{"role": "user", "content": prompt}] for prompt in prompts()],
    max_workers=IN_FLIGHT,
    num_retries=3,
    temperature=0,
)
write(
    "" if isinstance(answer, Exception) else label(answer.choices[0].message.content) for answer in answers
)
