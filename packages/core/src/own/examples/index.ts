import type { Examples } from "../../contract/examples.ts";
import type { listProviders, readProviderStatus } from "../provider-status.ts";
import type { listScenarios } from "../scenarios.ts";
import type { findSubmission, readSubmission, SubmissionStatus } from "../submission-status.ts";

const submissionId = "0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";

const lost: SubmissionStatus = {
  submissionId,
  provider: "provider-d",
  endpoint: "createApplication",
  state: "outcome_unknown",
  insurerId: null,
  receivedAt: "2026-11-30T08:00:00.000Z",
  updatedAt: "2026-11-30T08:00:45.000Z",
  askAgainAt: "2026-11-30T08:02:01.000Z",
  answer: null,
};

const found: SubmissionStatus = {
  ...lost,
  state: "succeeded",
  insurerId: "D-2026-000042",
  updatedAt: "2026-11-30T08:02:00.000Z",
  askAgainAt: null,
  answer: { status: 201, body: { applicationId: "D-2026-000042", status: "RECEIVED" } },
};

const readExamples: Examples<typeof readSubmission> = {
  found: {
    summary: "The insurer carried out the submission; its answer was lost and found again",
    request: { params: { submissionId } },
    response: found,
  },
  unknown: {
    summary: "The gateway does not know the outcome yet",
    request: { params: { submissionId } },
    response: lost,
  },
};

const findExamples: Examples<typeof findSubmission> = {
  byKey: {
    summary: "The submission that was sent with a key",
    request: {
      query: { segment: "provider-d", endpoint: "createApplication" },
      headers: { "idempotency-key": "case-4711" },
    },
    response: found,
  },
};

const listExamples: Examples<typeof listProviders> = {
  maintenance: {
    summary: "Two insurers, one of them in maintenance",
    request: {},
    response: {
      items: [
        { segment: "provider-c", provider: "provider-c", state: "up", maintenance: [] },
        {
          segment: "provider-d",
          provider: "provider-d",
          state: "maintenance",
          maintenance: [
            {
              from: "2026-11-29T20:00:00.000Z",
              to: "2026-11-30T04:00:00.000Z",
              note: "New policy system",
            },
          ],
        },
      ],
      at: "2026-11-30T00:30:00.000Z",
    },
  },
};

const statusExamples: Examples<typeof readProviderStatus> = {
  days: {
    summary: "An insurer with its last days; three of them shown",
    request: { params: { segment: "provider-d" } },
    response: {
      segment: "provider-d",
      provider: "provider-d",
      state: "up",
      maintenance: [],
      days: [
        { day: "2026-11-30", availability: 1 },
        { day: "2026-11-29", availability: 0.9987 },
        { day: "2026-11-28", availability: null },
      ],
      at: "2026-11-30T08:00:00.000Z",
    },
  },
};

const scenarioExamples: Examples<typeof listScenarios> = {
  scenarios: {
    summary: "Two scenarios of Provider D",
    request: {},
    response: {
      items: [
        {
          provider: "provider-d",
          endpoint: "createApplication",
          name: "DECLINED",
          effect: "201 with status DECLINED, because a decline is a normal answer",
          when: { pointer: "/body/holder/afm", equals: "000000036" },
          problem: null,
        },
        {
          provider: "provider-d",
          endpoint: "createApplication",
          name: "LOST_ANSWER",
          effect: "the application is stored, but the insurer never answers",
          when: { pointer: "/body/holder/afm", equals: "000000061" },
          problem: { code: "OUTCOME_UNKNOWN", outcome: "unknown", retry: "same_key" },
        },
      ],
    },
  },
};

// The examples of the gateway's own endpoints, by endpoint name. Only the reference contains these examples.
export {
  findExamples as findSubmission,
  listExamples as listProviders,
  readExamples as readSubmission,
  scenarioExamples as listScenarios,
  statusExamples as readProviderStatus,
};
