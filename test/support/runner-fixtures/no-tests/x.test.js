import "../../../../dist/test/support/test.js";
