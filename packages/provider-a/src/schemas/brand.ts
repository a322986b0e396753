import type { Schema } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A vehicle brand as the insurer knows it. Source: `docs/decisions.md`, "Answers". */
export interface Brand {
  /**
   * The insurer's code of the brand, such as `TOY`.
   * @el Κωδικός μάρκας
   */
  code: string;
  /**
   * The brand's name in Latin letters, such as `Toyota`.
   * @el Μάρκα
   */
  name: string;
}

export const brand: Schema<Brand> = loose<Brand>({
  code: z.string().check(z.minLength(1)),
  name: z.string(),
});
