// oxlint-disable-next-line unicorn/require-module-specifiers -- a module, though no endpoint is declared yet
export {};
