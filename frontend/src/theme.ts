import {
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
} from "@mantine/core";

const court: MantineColorsTuple = [
  "#f3f7fe",
  "#e5eefb",
  "#cadcf6",
  "#aac6ef",
  "#86ade3",
  "#608ece",
  "#3b69aa",
  "#25518c",
  "#1b3f71",
  "#132e53",
];

export const theme = createTheme({
  colors: { court },
  primaryColor: "court",
  primaryShade: { light: 7, dark: 4 },
  fontFamily: '"Source Sans 3", "Source Sans Pro", "Segoe UI", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "Liberation Mono", monospace',
  fontSizes: {
    xs: "0.875rem",
    sm: "1rem",
    md: "1.125rem",
    lg: "1.125rem",
    xl: "1.375rem",
  },
  lineHeights: { xs: "1.5", sm: "1.5", md: "1.6", lg: "1.6", xl: "1.35" },
  defaultRadius: 8,
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      defaultProps: { size: "md" },
      // Filled buttons use the ink chosen for the accent, which is readable in light and dark.
      vars: (_, { variant = "filled" }) => ({
        root: variant === "filled" ? { "--button-color": "var(--on-accent)" } : {},
      }),
    }),
    TextInput: { defaultProps: { size: "md" } },
    PasswordInput: { defaultProps: { size: "md" } },
    Textarea: { defaultProps: { size: "md" } },
    NativeSelect: { defaultProps: { size: "md" } },
    FileInput: { defaultProps: { size: "md" } },
    Checkbox: { defaultProps: { size: "md" } },
    Radio: { defaultProps: { size: "md" } },
    CheckboxGroup: { defaultProps: { size: "md" } },
    RadioGroup: { defaultProps: { size: "md" } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { duration: 120 },
      },
    },
  },
});

/** Mantine's own variables follow ours, so that each colour is defined in one place. */
export const cssVariables: CSSVariablesResolver = () => {
  const shared = {
    "--mantine-color-body": "var(--paper)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--soft)",
    "--mantine-color-placeholder": "var(--soft)",
    "--mantine-color-anchor": "var(--accent-ink)",
    "--mantine-color-default": "var(--card)",
    "--mantine-color-default-border": "var(--edge)",
    "--mantine-color-default-color": "var(--ink)",
    "--mantine-color-default-hover": "var(--accent-wash)",
    "--mantine-color-error": "var(--alarm)",
  };
  return { variables: {}, light: shared, dark: shared };
};
