import { Modal } from "@mantine/core";
import { useState } from "react";
import type { Task } from "~/api/types";
import { SanitisedHtml } from "~/components/SanitisedHtml";

/** The study's instructions, one click away at any time. */
export function Instructions({ study }: { study: Task["study"] }) {
  const [opened, setOpened] = useState(false);
  if (study.instructions_html.trim() === "") return null;
  return (
    <>
      <button type="button" className="linklike small" onClick={() => setOpened(true)}>
        Instructions
      </button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Instructions" size="lg">
        <SanitisedHtml html={study.instructions_html} lang={study.language} dir={study.direction} />
      </Modal>
    </>
  );
}
