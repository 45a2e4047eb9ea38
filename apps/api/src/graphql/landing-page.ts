/** What a browser sees at /graphql: a box to send queries with. It loads nothing from anywhere else. */
export const LANDING_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Allot GraphQL</title>
<style>
  body { font: 15px system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  textarea, pre { box-sizing: border-box; width: 100%; font: 13px ui-monospace, monospace; padding: .75rem }
  textarea { min-height: 16rem } pre { border: 1px solid #8888; overflow: auto; min-height: 4rem }
</style>
<h1>Allot GraphQL</h1>
<p>Send queries to this address by POST. The schema: <a href="/v1/schema.graphql">/v1/schema.graphql</a>.</p>
<label for="query">Query</label>
<textarea id="query" spellcheck="false">{
  cluster(name: "default") {
    topics(first: 10) { nodes { name partitions } pageInfo { hasNextPage endCursor } }
  }
}</textarea>
<p><button id="run">Run (Ctrl+Enter)</button></p>
<pre id="answer" aria-live="polite"></pre>
<script>
  const byId = (id) => document.getElementById(id);
  async function run() {
    byId('answer').textContent = '...';
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: byId('query').value });
    try {
      const response = await fetch(location.pathname, { method: 'POST', headers, body });
      byId('answer').textContent = JSON.stringify(await response.json(), null, 2);
    } catch (error) {
      byId('answer').textContent = String(error);
    }
  }
  byId('run').addEventListener('click', run);
  byId('query').addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) run(); });
</script>
</html>
`;
