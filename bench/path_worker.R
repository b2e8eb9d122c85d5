# glmnet, in a process that holds the rows: Rscript path_worker.R FOLDER ROWS COLUMNS DENSE. Each line of stdin is a value of thresh;
# the answer is a line with the processor seconds of the path; intercepts and weights are then in FOLDER/glmnet.bin.
suppressMessages({library(glmnet); library(Matrix)})
words <- commandArgs(TRUE)
folder <- words[1]; n <- as.integer(words[2]); d <- as.integer(words[3])
numbers <- function(name, kind) readBin(file.path(folder, name), kind, file.size(file.path(folder, name)))
if (words[4] == "dense") {
  x <- matrix(numbers("value.bin", "double")[1:(n * d)], n, d)
} else {
  start <- numbers("start.bin", "integer")[1:(d + 1)]; stored <- start[d + 1]
  x <- new("dgCMatrix", i = numbers("row.bin", "integer")[1:stored], p = start, x = numbers("value.bin", "double")[1:stored], Dim = c(n, d))
}
y <- as.factor(numbers("y.bin", "integer")[1:n])
lambda <- scan(file.path(folder, "glmnet.lambdas"), quiet = TRUE)
stream <- file("stdin", "r")
while (length(line <- readLines(stream, 1)) > 0) {
  took <- system.time(fit <- glmnet(x, y, family = "binomial", standardize = FALSE, lambda = lambda, thresh = as.numeric(line), maxit = 1e7))
  writeBin(c(as.vector(fit$a0), as.vector(as.matrix(fit$beta))), file.path(folder, "glmnet.bin"))
  cat(took[["user.self"]] + took[["sys.self"]], "\n"); flush(stdout())
}
