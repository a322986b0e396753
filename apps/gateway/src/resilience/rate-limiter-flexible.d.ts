/**
 * The modules of rate-limiter-flexible that the gateway needs: its types describe only the whole package, which loads its
 * adapters for 20 databases.
 */
declare module "rate-limiter-flexible/lib/RateLimiterMemory.js" {
  export { RateLimiterMemory as default } from "rate-limiter-flexible";
}
declare module "rate-limiter-flexible/lib/RateLimiterRes.js" {
  export { RateLimiterRes as default } from "rate-limiter-flexible";
}
