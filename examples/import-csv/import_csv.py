"""Moves people from a CSV file into the CRM. Needs only Python's standard library."""

import csv
import hashlib
import json
import os
import sys
import time
import urllib.error
import urllib.request

API_URL = os.environ.get("CRM_API_URL", "http://127.0.0.1:3000")
BATCH_SIZE = 100  # the most that POST /v1/contacts/batch takes
MAX_ATTEMPTS = 10
TEXT_COLUMNS = ("name", "email", "phone", "username", "company", "notes")


def read_people(path):
    """Yields the last line of each row in the file, and the contact that the row describes."""
    # utf-8-sig: spreadsheets put a byte order mark first. newline="": the reader handles line breaks in quotes.
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        unknown = set(reader.fieldnames or ()) - {*TEXT_COLUMNS, "tags"}
        if unknown:
            sys.exit(f"{path}: unknown columns {sorted(unknown)}. Known: {', '.join(TEXT_COLUMNS)}, tags")
        for row in reader:
            texts = {column: (row.get(column) or "").strip() for column in TEXT_COLUMNS}
            contact = {column: text for column, text in texts.items() if text}
            tags = [tag.strip() for tag in (row.get("tags") or "").split(";") if tag.strip()]
            if tags:
                contact["tags"] = tags
            if contact:
                yield reader.line_num, contact


def item_of(contact):
    """Returns the item of a batch: an upsert if something can find the contact, otherwise a creation."""
    match_on = next((field for field in ("email", "phone", "username") if field in contact), None)
    return {"op": "upsert", "matchOn": match_on, **contact} if match_on else {"op": "create", **contact}


def wait_for(attempt, retry_after):
    """Waits as long as the API says, otherwise longer with each attempt."""
    seconds = float(retry_after) if retry_after else min(2**attempt, 60)
    print(f"waiting {seconds:g} s before the next attempt", file=sys.stderr)
    time.sleep(seconds)


def post_batch(api_key, items):
    """Posts one batch, and returns its results. All attempts have one idempotency key, so each item is done once."""
    body = json.dumps({"items": items}).encode()
    headers = {
        "Authorization": f"Bearer {api_key}",
        "Content-Type": "application/json",
        # Made of the body: the same batch in a second run within 24 hours gets the first run's answer.
        "Idempotency-Key": hashlib.sha256(body).hexdigest(),
    }
    for attempt in range(MAX_ATTEMPTS):
        request = urllib.request.Request(f"{API_URL}/v1/contacts/batch", data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["results"]
        except urllib.error.HTTPError as error:
            retry_after = error.headers.get("Retry-After")
            # Besides 429 and 503, a 409 carries it while the first attempt with the same key still runs.
            if retry_after is None and error.code < 500:
                raise SystemExit(f"the API answered {error.code}: {error.read().decode()}") from error
            wait_for(attempt, retry_after)
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            wait_for(attempt, None)
    raise SystemExit(f"the API gave no answer in {MAX_ATTEMPTS} attempts. Run the same command again later.")


def main(path):
    """Imports the file, prints the rows that failed, and returns how many those are."""
    api_key = os.environ.get("CRM_API_KEY") or sys.exit("set CRM_API_KEY to a key with the scope contacts:write")
    people = list(read_people(path))
    counts = {"created": 0, "updated": 0, "failed": 0}
    for start in range(0, len(people), BATCH_SIZE):
        batch = people[start : start + BATCH_SIZE]
        results = post_batch(api_key, [item_of(contact) for _, contact in batch])
        for (line, _), result in zip(batch, results):
            error = result["error"]
            if error is None:
                counts["created" if result["status"] == 201 else "updated"] += 1
                continue
            counts["failed"] += 1
            fields = (error["details"] or {}).get("fields", [])
            why = "; ".join(field["message"] for field in fields) or error["message"]
            # The line names the row, so its place in the batch says nothing.
            why = why.replace(f"items[{result['index']}].", "")
            print(f"{path}:{line}: {result['status']} {why}")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return counts["failed"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: import_csv.py people.csv")
    sys.exit(1 if main(sys.argv[1]) else 0)
