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
    ]
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
    ]
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
    ]
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
    ]
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
    "matchKeys": []
  }
} as const;
