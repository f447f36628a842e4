// Rows: an index of all of them, and chunks of rows that are opened when one of theirs is wanted.

const CHUNKS_KEPT = 48;

/** The JSON that an element holds as gzip in Base64, as text. */
async function inflated(node) {
  const text = node.textContent.trim();
  let bytes;
  if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
  else {
    const raw = atob(text);
    bytes = new Uint8Array(raw.length);
    for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  }
  const { writable, readable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const [, , json] = await Promise.all([writer.write(bytes), writer.close(), new Response(readable).text()]);
  return json;
}

/** All that the file holds. `index` has an entry for each row in each of its lists; the place in the lists is the row's place. */
async function openStore() {
  const about = record(JSON.parse(document.getElementById("about").textContent));
  const [index, shared] = await Promise.all(["index", "shared"].map(async (id) => record(JSON.parse(await inflated(document.getElementById(id))))));
  const nodes = [...document.querySelectorAll("script.chunk")];
  const starts = list(index.chunks);
  const size = list(index.rows).length;
  const kept = new Map();
  const textOf = (at) => inflated(nodes[at]);
  const chunk = (at) => {
    const known = kept.get(at) ?? textOf(at).then((text) => record(JSON.parse(text)));
    kept.delete(at);
    kept.set(at, known);
    if (kept.size > CHUNKS_KEPT) kept.delete(kept.keys().next().value);
    return known;
  };
  const chunkOf = (place) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const row = async (place) => {
    const at = chunkOf(place);
    return rowOf(await chunk(at), place - starts[at], list(shared.boxes));
  };
  return { about, index, size, starts, chunks: nodes.length, textOf, row, boxes: list(shared.boxes) };
}

/** A row with what it shares with others put in its place. */
function rowOf(chunk, at, boxes) {
  const raw = record(list(chunk.rows)[at]);
  const talk = record(list(chunk.talks)[raw.talk]);
  const box = raw.box === null || raw.box === undefined ? null : raw.box < boxes.length ? boxes[raw.box] : list(chunk.boxes)[raw.box - boxes.length];
  return { ...raw, messages: list(talk.messages).slice(0, number(raw.upto) ?? undefined), left: number(talk.left) ?? 0, box: box ? record(box) : null };
}

/** The names of a list of codes. */
const namesOf = (names, codes) => list(codes).map((code) => words(list(names)[code]));
