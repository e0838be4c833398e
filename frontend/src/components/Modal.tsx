import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/** Closed at first: Mantine gives the focus back only if it saw the dialog open, and who asked may have been faster. */
export function OpensOnceRendered({ opened, ...props }: ModalProps) {
  const [isRendered, setIsRendered] = useState(false);
  useEffect(() => setIsRendered(true), []);
  return <Modal opened={opened && isRendered} {...props} />;
}
