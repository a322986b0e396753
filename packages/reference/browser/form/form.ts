/** Starts the form of an endpoint's page. */
const form = document.querySelector<HTMLFormElement>("#try-it form");
form?.addEventListener("submit", (event) => event.preventDefault());
