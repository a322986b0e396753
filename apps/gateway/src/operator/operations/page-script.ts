/**
 * Keeps the page up to date: asks "providers" every two seconds, writes texts only (never markup), and says when the
 * gateway no longer answers. A screen reader announces each change of state once.
 */
export const pageScript = `
"use strict";
const EVERY_MS = 2000;
const LONGEST_WAIT_MS = 4000;
const order = ["down", "degraded", "up"];
const byId = (id) => document.getElementById(id);
const rows = new Map();
const states = new Map();
let list = null;
let shownAt = 0;
let silent = false;

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function duration(milliseconds) {
  if (milliseconds === null) return "\\u2013";
  if (milliseconds < 10) return milliseconds.toFixed(1) + " ms";
  return milliseconds < 1000 ? Math.round(milliseconds) + " ms" : (milliseconds / 1000).toFixed(1) + " s";
}

function age(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return seconds + " s";
  if (seconds < 5400) return Math.round(seconds / 60) + " min";
  if (seconds < 129600) return Math.round(seconds / 3600) + " h";
  return Math.round(seconds / 86400) + " d";
}

function percent(share) {
  return share === null ? "\\u2013" : (share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0) + " %";
}

function cell(row, name) {
  const made = element("td");
  made.setAttribute("role", "cell");
  made.dataset.name = name;
  row.append(made);
  return made;
}

function makeRow({ provider, sandbox, segment }) {
  const row = element("tr");
  row.setAttribute("role", "row");
  const head = element("th", segment);
  head.scope = "row";
  head.setAttribute("role", "rowheader");
  const more = [segment === provider ? "" : provider, sandbox ? "sandbox" : ""].filter(Boolean);
  if (more.length > 0) head.append(" ", element("span", more.join(", "), "quiet"));
  row.append(head);
  const state = cell(row, "State");
  const badge = element("span", undefined, "badge");
  const reasons = element("span", undefined, "quiet");
  const refused = element("span", undefined, "quiet");
  state.append(badge, " ", reasons, " ", refused);
  const unknown = element("span");
  cell(row, "Unknown").append(unknown);
  const errors = cell(row, "Errors");
  const p50 = cell(row, "p50");
  const p95 = cell(row, "p95");
  const running = cell(row, "Running");
  const queued = cell(row, "Queued");
  const success = element("time");
  cell(row, "Last success").append(success);
  return { row, badge, reasons, refused, errors, p50, p95, running, queued, success, unknown };
}

function fill(row, item) {
  write(row.badge, item.state);
  row.badge.className = "badge " + item.state;
  write(row.reasons, item.reasons.map((reason) => reason.replaceAll("_", " ")).join(", "));
  const refused = item.refusedAccounts.filter((id) => id !== "default");
  write(row.refused, refused.length === 0 ? "" : "refuses the credentials of " + refused.slice(0, 3).join(", ") + (refused.length > 3 ? " and others" : ""));
  const refusedCalls = item.refused > 0 ? ", " + item.refused + " refused" : "";
  write(row.errors, percent(item.errorRate) + (item.calls > 0 ? " of " + item.calls + refusedCalls : ""));
  write(row.p50, duration(item.p50Ms));
  write(row.p95, duration(item.p95Ms));
  write(row.running, String(item.running));
  write(row.queued, String(item.queued));
  const unknown = item.unknownSubmissions;
  write(row.unknown, unknown === null ? "not known" : String(unknown));
  row.unknown.className = unknown > 0 ? "badge warning" : "";
}

function fillAges() {
  if (list === null) return;
  const since = performance.now() - shownAt;
  for (const item of list.items) {
    const { success } = rows.get(item.segment);
    if (item.lastSuccessAt === null) write(success, "none yet");
    else {
      success.dateTime = success.title = item.lastSuccessAt;
      write(success, age(Date.parse(list.at) - Date.parse(item.lastSuccessAt) + since) + " ago");
    }
  }
  write(byId("age"), !silent ? "Updated " + age(since) + " ago" : "");
}

function fillSummary() {
  const parts = order.flatMap((state) => {
    const count = list.items.filter((item) => item.state === state).length;
    return count === 0 ? [] : [{ text: count + " " + state, className: "badge " + state }];
  });
  const away = list.items.some((item) => item.unknownSubmissions === null);
  const unknown = list.items.reduce((sum, item) => sum + item.unknownSubmissions, 0);
  if (away) parts.push({ text: "the store is unavailable", className: "badge warning" });
  const noun = unknown === 1 ? " submission" : " submissions";
  if (unknown > 0) parts.push({ text: unknown + noun + " of unknown outcome", className: "badge warning" });
  const text = parts.map((part) => part.text).join(", ");
  document.title = text + " \\u2013 Insurance Gateway";
  if (byId("summary").dataset.text === text) return;
  byId("summary").dataset.text = text;
  byId("summary").replaceChildren(...parts.map((part) => element("span", part.text, part.className)));
}

function fillRows() {
  const rank = (item) => order.indexOf(item.state) * 2 + (item.unknownSubmissions > 0 ? 0 : 1);
  const sorted = list.items.toSorted((one, other) => rank(one) - rank(other));
  for (const item of sorted) {
    if (!rows.has(item.segment)) rows.set(item.segment, makeRow(item));
    fill(rows.get(item.segment), item);
  }
  const wanted = sorted.map((item) => rows.get(item.segment).row);
  const there = [...byId("providers").children];
  if (wanted.length !== there.length || wanted.some((row, index) => row !== there[index]))
    byId("providers").replaceChildren(...wanted);
}

function newStates() {
  const changed = list.items.filter(
    ({ segment, state }) => states.has(segment) && states.get(segment) !== state,
  );
  const texts = changed.map(
    ({ segment, state }) => segment + " is " + state + ", was " + states.get(segment) + ".",
  );
  for (const { segment, state } of list.items) states.set(segment, state);
  return texts;
}

function fillTrouble() {
  document.body.classList.toggle("outdated", silent);
  byId("silence").hidden = !silent;
  if (!silent) return;
  document.title = "No answer \\u2013 Insurance Gateway";
  const old = list === null ? "" : " This is what it said " + age(performance.now() - shownAt) + " ago.";
  write(byId("silence"), "The gateway does not answer." + old);
}

function answerRow({ code, count, endpoint, lastAt, mediaType, segment, status }) {
  const row = element("tr");
  row.setAttribute("role", "row");
  const texts = [segment, endpoint, status, mediaType || "none", code ?? "none", count, lastAt];
  for (const [index, text] of texts.entries()) {
    const names = ["Provider", "Endpoint", "Status", "Media type", "Code", "Count", "Last"];
    cell(row, names[index]).textContent = String(text);
  }
  return row;
}

function fillAnswers(answer) {
  if (answer === null) return;
  byId("answers").hidden = answer.items.length === 0;
  byId("answer-rows").replaceChildren(...answer.items.slice(0, 50).map(answerRow));
}

function driftRow({ breaking, count, endpoint, firstAt, kind, lastAt, pointer, segment }) {
  const row = element("tr");
  row.setAttribute("role", "row");
  const names = ["Provider", "Endpoint", "Place", "Difference", "Breaking", "Count", "First", "Last"];
  const texts = [segment, endpoint, pointer || "/", kind, breaking ? "yes" : "no", count, firstAt, lastAt];
  for (const [index, text] of texts.entries()) cell(row, names[index]).textContent = String(text);
  return row;
}

function fillDrift(drift) {
  if (drift === null) return;
  byId("drift").hidden = drift.items.length === 0;
  byId("drift-rows").replaceChildren(...drift.items.slice(0, 50).map(driftRow));
}

async function fetchJson(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

function take(answer) {
  const changes = [];
  if (silent !== (answer === null))
    changes.push(silent ? "The gateway answers again." : "The gateway does not answer.");
  silent = answer === null;
  if (answer !== null) {
    list = answer;
    shownAt = performance.now();
    fillRows();
    fillSummary();
    changes.push(...newStates());
  }
  if (changes.length > 0) byId("changes").textContent = changes.join(" ");
  show();
}

async function ask() {
  take(await fetchJson("providers"));
  fillAnswers(await fetchJson("answers"));
  fillDrift(await fetchJson("drift"));
  setTimeout(ask, EVERY_MS);
}

function show() {
  fillAges();
  fillTrouble();
}

setInterval(show, 1000);
ask();
`;
