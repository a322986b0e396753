#!/usr/bin/env node
import "../dist/build/main.js";
