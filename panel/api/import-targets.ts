/** The targets of lib/imports, by the objects of imports. Made by `npm run panel-lists`. */
export const importTargets = {
  "contacts": {
    "targets": [
      "id",
      "platform",
      "name",
      "username",
      "phone",
      "email",
      "addresses",
      "company",
      "companies",
      "companyId",
      "notes",
      "stage",
      "tags",
      "leadScore",
      "assignee",
      "assignedToUserId",
      "metadata"
    ],
    "matchKeys": [
      "id",
      "email",
      "phone",
      "username"
    ],
    "matchesMetadata": true
  },
  "companies": {
    "targets": [
      "id",
      "name",
      "domain",
      "domains",
      "website",
      "phone",
      "address",
      "notes",
      "assignee",
      "assignedToUserId",
      "metadata"
    ],
    "matchKeys": [
      "id",
      "domain",
      "name"
    ],
    "matchesMetadata": false
  },
  "deals": {
    "targets": [
      "id",
      "title",
      "contact",
      "contactId",
      "company",
      "companyId",
      "value",
      "currency",
      "stage",
      "pipelineId",
      "columnId",
      "lostReason",
      "probability",
      "expectedCloseAt",
      "assignee",
      "assignedToUserId",
      "notes",
      "metadata"
    ],
    "matchKeys": [
      "id"
    ],
    "matchesMetadata": true
  },
  "tasks": {
    "targets": [
      "id",
      "title",
      "description",
      "status",
      "priority",
      "dueAt",
      "remindAt",
      "contact",
      "contactId",
      "deal",
      "dealId",
      "assignee",
      "assignedToUserId",
      "metadata"
    ],
    "matchKeys": [
      "id"
    ],
    "matchesMetadata": true
  },
  "notes": {
    "targets": [
      "text",
      "createdAt",
      "contact",
      "contactId",
      "company",
      "companyId",
      "deal",
      "dealId"
    ],
    "matchKeys": [],
    "matchesMetadata": false
  }
} as const;
