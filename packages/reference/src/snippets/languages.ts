/**
 * A language for which @scalar/snippetz writes requests, with the code around a request that makes a complete program.
 */
export interface Language {
  /** The name for editors and highlighters. */
  readonly lang: string;
  /** The display name. */
  readonly label: string;
  readonly target: string;
  readonly client: string;
  /**
   * Returns a complete program with the request. If `file` is true, the program saves the answer as `document.pdf`, if
   * that is easy.
   */
  readonly complete: (request: string, file: boolean) => string;
}

const asItIs = (request: string): string => request;

const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by);

/** All languages besides this project's client, in the order of the pages. */
export const languages: readonly Language[] = [
  {
    lang: "shell",
    label: "curl",
    target: "shell",
    client: "curl",
    complete: (request, file) => (file ? `${request} \\\n  --output document.pdf` : request),
  },
  {
    lang: "javascript",
    label: "JavaScript",
    target: "js",
    client: "fetch",
    complete: (request, file) =>
      `const response = await ${request};\nconsole.log(response.status, await response.${file ? "blob" : "text"}());`,
  },
  {
    lang: "python",
    label: "Python",
    target: "python",
    client: "requests",
    complete: (request, file) =>
      [
        "import requests",
        "",
        `response = ${request}`,
        ...(file ? ['open("document.pdf", "wb").write(response.content)'] : []),
        `print(response.status_code${file ? "" : ", response.text"})`,
      ].join("\n"),
  },
  {
    lang: "java",
    label: "Java",
    target: "java",
    client: "nethttp",
    complete: (request) =>
      [
        "import java.net.http.HttpClient;",
        "import java.net.http.HttpRequest;",
        "import java.net.http.HttpResponse;",
        "",
        "public class Example {",
        "  public static void main(String[] arguments) throws Exception {",
        indented(
          // Without this option, Java's client would request an upgrade to HTTP/2 over plain HTTP. The gateway refuses
          // such a request.
          request.replace(
            "HttpClient.newHttpClient()",
            "HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()",
          ),
          "    ",
        ),
        "  }",
        "}",
      ].join("\n"),
  },
  {
    lang: "csharp",
    label: "C#",
    target: "csharp",
    client: "httpclient",
    complete: (request) =>
      `using System.Net.Http.Headers;\n\n${request}\nConsole.WriteLine(await response.Content.ReadAsStringAsync());`,
  },
  {
    lang: "php",
    label: "PHP",
    target: "php",
    client: "curl",
    complete: (request) => `<?php\n${request}`,
  },
  { lang: "go", label: "Go", target: "go", client: "native", complete: asItIs },
  {
    lang: "ruby",
    label: "Ruby",
    target: "ruby",
    client: "native",
    // Without quotation marks, the shell would expand the text.
    complete: (request) => request.replace("<<~JSON", "<<~'JSON'"),
  },
  { lang: "c", label: "C", target: "c", client: "libcurl", complete: asItIs },
  {
    lang: "rust",
    label: "Rust",
    target: "rust",
    client: "reqwest",
    complete: (request) =>
      [
        "#[tokio::main]",
        "async fn main() -> Result<(), reqwest::Error> {",
        indented(request, "    "),
        '    println!("{}", response.text().await?);',
        "    Ok(())",
        "}",
      ].join("\n"),
  },
];
