/** The reader of the OpenAPI document; everything it loads comes from this service. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Allot API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reader"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>
  SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#reader', deepLinking: true, validatorUrl: null });
</script>
</body>
</html>
`;
