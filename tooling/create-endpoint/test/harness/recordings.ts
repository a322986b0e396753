/** A recording of a browser (HAR 1.2) with credentials in every place that can contain them. */
export const har: string = JSON.stringify({
  log: {
    version: "1.2",
    entries: [
      claim('{"afm":"123456783","date":"2026-02-03","damage":[{"part":"Door","cost":12.5}]}', {
        claimId: "C-123",
        state: null,
      }),
      claim('{"afm":"123456783","damage":[{"part":"Κάτι","cost":null,"note":"x"}],"urgent":true}', {
        claimId: "C-124",
        state: "OPEN",
      }),
      {
        request: { method: "GET", url: "https://insurer.example/v1/nothing", headers: [] },
        response: { status: 204, content: {} },
      },
    ],
  },
});

function claim(body: string, answer: object): object {
  return {
    request: {
      method: "POST",
      url: "https://insurer.example/v1/policies/P-77/claims?lang=el&api_key=SECRET1",
      headers: [{ name: "Authorization", value: "Bearer SECRET2" }],
      cookies: [{ name: "session", value: "SECRET3" }],
      postData: { mimeType: "application/json", text: body },
    },
    response: {
      status: 201,
      headers: [{ name: "Set-Cookie", value: "session=SECRET4" }],
      content: {
        mimeType: "application/json",
        encoding: "base64",
        text: Buffer.from(JSON.stringify(answer)).toString("base64"),
      },
    },
  };
}

/** A Postman collection (2.1) with a folder, a variable for its address and a saved answer. */
export const postman: string = JSON.stringify({
  info: { schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  item: [
    {
      name: "Cars",
      item: [
        {
          name: "Models",
          request: {
            method: "GET",
            header: [{ key: "Authorization", value: "SECRET5" }],
            url: { raw: "{{address}}/auto/models?brandCode=TOY", host: ["{{address}}"] },
          },
          response: [{ code: 200, body: '{"items":[{"code":"YARIS","name":"Yaris"}]}' }],
        },
      ],
    },
  ],
});
